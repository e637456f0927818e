import { assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { answersUnder, PROCESS_ZONES } from "./support/vectors.ts";

for (const zone of ["UTC", ...PROCESS_ZONES]) {
  test(`schedules answer all the vectors in a process whose zone is ${zone}`, async () => {
    assertEquals(await answersUnder(zone, "all"), "0 wrong");
  });
}
