import { assertEquals } from "@std/assert";
import { formatTable } from "../../src/cli/shared/table.ts";
import { test } from "../support/test.ts";

const ROWS = [["NAME", "STATE", "NOTE", "WHY"], ["a", { text: "Failing", colour: "red" as const }, "", "exit 3"], [
  "longer",
  "Waiting",
  "",
  "",
]];

test("a table leaves empty columns out, and cuts nothing where nobody reads it", () => {
  assertEquals(formatTable(ROWS), "NAME    STATE    WHY\na       Failing  exit 3\nlonger  Waiting");
});

test("a table is cut to the width of a terminal", () => {
  const terminal = { isTerminal: true, hasColour: false, columns: 20 };
  assertEquals(formatTable(ROWS, terminal), "NAME    STATE    WHY\na       Failing  ex…\nlonger  Waiting");
  assertEquals(formatTable(ROWS, { ...terminal, columns: 4 }), "NAME\na\nlon…");
});

test("colours do not move columns", () => {
  const terminal = { isTerminal: true, hasColour: true, columns: 80 };
  assertEquals(
    formatTable(ROWS, terminal),
    "NAME    STATE    WHY\na       \x1b[31mFailing\x1b[39m  exit 3\nlonger  Waiting",
  );
});
