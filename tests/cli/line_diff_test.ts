import { assertEquals } from "@std/assert";
import { hunksOf } from "../../src/cli/shared/line_diff.ts";
import { test } from "../support/test.ts";

const linesOf = (count: number, word: string) => Array.from({ length: count }, (_, index) => `${word} ${index}`);

test("hunksOf() shows changes with three lines around each", () => {
  const before = linesOf(20, "line");
  const after = before.with(5, "other");
  assertEquals(hunksOf(before, after), [
    "@@ -3,7 +3,7 @@",
    " line 2",
    " line 3",
    " line 4",
    "-line 5",
    "+other",
    " line 6",
    " line 7",
    " line 8",
  ]);
  assertEquals(hunksOf([], ["a"]), ["@@ -0,0 +1,1 @@", "+a"]);
});

test("hunksOf() shows texts that differ in a thousand lines as one change, which takes no time to find", () => {
  const [before, after] = [linesOf(100_000, "a"), linesOf(90_000, "b")];
  const [header, ...lines] = hunksOf(before, after);
  assertEquals(header, "@@ -1,100000 +1,90000 @@");
  assertEquals(lines.slice(99_998, 100_002), ["-a 99998", "-a 99999", "+b 0", "+b 1"]);
});
