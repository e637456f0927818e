import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { matchesShellPattern } from "../../src/base/shell_pattern.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

table("matchesShellPattern()", [
  ["the text itself", ["ok", "ok"], true],
  ["a part of the text", ["all ok", "ok"], false],
  ["a star on both sides", ["rows: 17\n", "*rows: [1-9]*"], true],
  ["none of the range", ["rows: 0", "*rows: [1-9]*"], false],
  ["a negated set", ["rows: 0", "rows: [!0]"], false],
  ["a set that has ] and -", ["a]-", "a[]x][x-]"], true],
  ["a range has no -", ["-", "[a-c]"], false],
  ["a star is no character", ["ab", "a*b"], true],
  ["pieces may not overlap", ["aba", "ab*ba"], false],
  ["any one character", ["a🌙", "a?"], true],
  ["an escaped star", ["a*", "a\\*"], true],
  ["no end of a set", ["[a", "[a"], true],
  ["nothing", ["", ""], true],
  ["a star alone", ["", "*"], true],
], ([text, pattern]: readonly [string, string], expected: boolean) => {
  assertEquals(matchesShellPattern(text, pattern), expected);
});

test("a text is of a pattern as bash has it", async () => {
  const letter = fc.constantFrom("a", "b", "*", "?", "-", "]", "[", "[ab]", "[!a]", "[a-c]", "\\");
  const drawn = fc.sample(fc.tuple(fc.array(letter, { maxLength: 6 }), fc.array(letter, { maxLength: 6 })), 3_000)
    .map(([text, pattern]) => [text.join(""), pattern.join("")] as const)
    // Bash ends with a fault at them, or takes them as text.
    .filter(([, pattern]) => !pattern.endsWith("\\") && !/\[[^\]]*\\|\[(?![^\]]+\])/.test(pattern));
  const script = 'while [ $# -gt 0 ]; do case "$1" in $2) echo true;; *) echo false;; esac; shift 2; done';
  const { stdout } = await new Deno.Command("bash", {
    args: ["-c", `export LC_ALL=C; ${script}`, "bash", ...drawn.flat()],
  }).output();
  const expected = new TextDecoder().decode(stdout).trim().split("\n");
  drawn.forEach(([text, pattern], i) =>
    assertEquals(String(matchesShellPattern(text, pattern)), expected[i], `${text} of ${pattern}`)
  );
});

test("the slowest pattern of a longest message takes bounded steps", () => {
  const text = "a".repeat(4096);
  assertEquals(matchesShellPattern(text, `${"*a?a[ab]".repeat(24)}b`), false);
});
