import { assertEquals } from "@std/assert";
import { unifiedDiff } from "../../src/cli/shared/unified_diff.ts";
import { test } from "../support/test.ts";

const NAMES = { from: "a", to: "b" };
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);
const text = (lines: string[]) => lines.map((line) => `${line}\n`).join("");

test("unifiedDiff() is empty for texts that are the same", () => {
  assertEquals(unifiedDiff("", "", NAMES), "");
  assertEquals(unifiedDiff("x\n", "x\n", NAMES), "");
});

test("unifiedDiff() shows three lines around each change, and makes one hunk of changes that are near", () => {
  const before = numbered(20);
  const after = before.toSpliced(1, 1, "second").toSpliced(5, 0, "between").toSpliced(19, 1);
  assertEquals(
    unifiedDiff(text(before), text(after), NAMES),
    `--- a
+++ b
@@ -1,8 +1,9 @@
 line 1
-line 2
+second
 line 3
 line 4
 line 5
+between
 line 6
 line 7
 line 8
@@ -16,5 +17,4 @@
 line 16
 line 17
 line 18
-line 19
 line 20
`,
  );
});

test("unifiedDiff() counts from 0 where one side has nothing", () => {
  assertEquals(unifiedDiff("", "x\ny\n", NAMES), "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+x\n+y\n");
  assertEquals(unifiedDiff("x\n", "", NAMES), "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
});
