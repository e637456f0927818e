import { assertEquals } from "@std/assert";
import { formatTable } from "../../src/cli/print/table.ts";
import { test } from "../support/test.ts";

const ROWS = [["NAME", "STATE", "NOTE", "WHY"], ["a", { text: "Failing", colour: "red" as const }, "", "exit 3"], [
  "longer",
  "Waiting",
  "",
  "",
]];

test("a table leaves empty columns out, and cuts nothing where no terminal shows it", () => {
  assertEquals(formatTable(ROWS), "NAME    STATE    WHY\na       Failing  exit 3\nlonger  Waiting");
});

test("a table is cut to the width of a terminal", () => {
  const terminal = { isTerminal: true, hasColour: false, columns: 20 };
  assertEquals(formatTable(ROWS, { terminal }), "NAME    STATE    WHY\na       Failing  ex…\nlonger  Waiting");
  assertEquals(formatTable(ROWS, { terminal: { ...terminal, columns: 4 } }), "NAME\na\nlon…");
});

test("colours do not move columns", () => {
  const terminal = { isTerminal: true, hasColour: true, columns: 80 };
  assertEquals(
    formatTable(ROWS, { terminal }),
    "NAME    STATE    WHY\na       \x1b[31mFailing\x1b[39m  exit 3\nlonger  Waiting",
  );
});

test("a table is not cut on a terminal that does not know its width", () => {
  assertEquals(formatTable(ROWS, { terminal: { isTerminal: true, hasColour: false, columns: 0 } }), formatTable(ROWS));
});

test("what explains a row stands below it where there is too little room beside", () => {
  const terminal = { isTerminal: true, hasColour: false, columns: 46 };
  const why = "exit 3: " + "x".repeat(50);
  const rows = [["NAME", "STATE", "WHY", "JOB"], ["a", "Failing", why, "a-1"], ["b", "Waiting", "", ""]];
  assertEquals(
    formatTable(rows, { terminal, explains: "WHY" }),
    `NAME  STATE    JOB\na     Failing  a-1\n    ${why}\nb     Waiting`,
  );
  const wide = { terminal: { ...terminal, columns: 60 }, explains: "WHY" };
  assertEquals(formatTable(rows, wide).split("\n").length, 3);
});

test("a terminal without room for all columns does without those that can be spared", () => {
  const rows = [["NAME", "API", "STATE", "NEXT", "WHY"], [
    "a",
    "batch.tutorial.kubebuilder.io/v1",
    "Failing",
    "02:00",
    "exit 3",
  ]];
  const at = (columns: number) =>
    formatTable(rows, {
      terminal: { isTerminal: true, hasColour: false, columns },
      explains: "WHY",
      spare: ["API", "NEXT"],
    });
  assertEquals(at(80).split("\n")[0], "NAME  API                               STATE    NEXT");
  assertEquals(at(40), "NAME  STATE    NEXT\na     Failing  02:00\n    exit 3");
  assertEquals(at(19).split("\n")[0], "NAME  STATE");
});

test("no cell controls a terminal, or ends its line", () => {
  const text = formatTable([["NAME", "WHY"], ["a", "\x1b[2J\x07a\r\n\x7f\x9bm\té"]]);
  assertEquals(text, "NAME  WHY\na     \\x1b[2J\\x07a\\r\\n\\x7f\\x9bm\\té");
});
