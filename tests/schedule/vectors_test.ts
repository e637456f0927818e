import { assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { answersUnder, PROCESS_ZONES, readVectors, wrongAnswers } from "./support/vectors.ts";

test("schedules answer the vectors as Kubernetes' grammar and the wall clock do", async () => {
  assertEquals(wrongAnswers(await readVectors("trimmed")), []);
});

for (const zone of PROCESS_ZONES) {
  test(`schedules answer the vectors alike in a process whose zone is ${zone}`, async () => {
    assertEquals(await answersUnder(zone, "trimmed"), "0 wrong");
  });
}
