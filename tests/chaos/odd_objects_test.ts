import { test } from "../support/test.ts";
import { proveThatControllersBearObjects } from "./support/odd_objects_controllers.ts";
import { proveThatTheServerBearsDocuments } from "./support/odd_objects_server.ts";

test("the API server answers odd documents in order, and goes on", async () => {
  await proveThatTheServerBearsDocuments(1, 120);
});

test("odd objects neither break the controllers nor keep them busy, nor hold up the sound ones beside them", async () => {
  await proveThatControllersBearObjects(1, 40);
});
