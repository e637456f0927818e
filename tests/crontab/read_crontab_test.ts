import { assertEquals } from "@std/assert";
import { readCrontab } from "../../src/crontab/read_crontab.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";

/** A line, and the setting that cron reads in it. */
const SETTINGS: readonly (readonly [line: string, name: string, value: string])[] = [
  ["A=b", "A", "b"],
  ["  A =  b c  ", "A", "b c"],
  ['A="  b "', "A", "  b "],
  ["A='b'", "A", "b"],
  [`"A"='b'`, "A", "b"],
  [`'A b'=c`, "A b", "c"],
  ['A=""', "A", ""],
  ["A=b'c", "A", "b'c"],
  ["A=$HOME/bin:$PATH", "A", "$HOME/bin:$PATH"],
  ["A=b # c", "A", "b # c"],
  [`A="'b'"`, "A", "b"],
];

for (const [line, name, value] of SETTINGS) {
  test(`${JSON.stringify(line)} sets ${name} to ${JSON.stringify(value)}`, () => {
    assertEquals(readCrontab(line, { hasUsers: false }), [
      { kind: "setting", line: 1, text: line.trimStart(), name, value },
    ]);
  });
}

for (const line of ["A=", "A=   ", 'A="b', 'A="b" c', "* * * *", "* * * * *", "* * * * * * x", "@daily", "x"]) {
  test(`${JSON.stringify(line)} is not understood`, () => {
    assertEquals(readCrontab(line, { hasUsers: false }).map(({ kind }) => kind), ["unreadable"]);
  });
}

test("an entry is five fields or a nickname, then the rest of the line, which may hold = and #", () => {
  const lines = readCrontab("0\t2  * * 1-5\tA=1 b # c\\\n@daily  d  \r\n", { hasUsers: false });
  assertEquals(lines, [
    {
      kind: "entry",
      line: 1,
      text: "0\t2  * * 1-5\tA=1 b # c\\",
      times: "0 2 * * 1-5",
      user: undefined,
      command: "A=1 b # c\\",
      comment: undefined,
      name: undefined,
    },
    {
      kind: "entry",
      line: 2,
      text: "@daily  d  ",
      times: "@daily",
      user: undefined,
      command: "d  ",
      comment: undefined,
      name: undefined,
    },
  ]);
});

test("in a system crontab a user stands before the command", () => {
  const entries = readCrontab("17 * * * * root cd / && run\n@daily www-data x\n* * * * * root\n", { hasUsers: true });
  assertEquals(
    entries.map((entry) => entry.kind === "entry" ? [entry.times, entry.user, entry.command] : entry.kind),
    [["17 * * * *", "root", "cd / && run"], ["@daily", "www-data", "x"], "unreadable"],
  );
});

test("the comment right above an entry is about it, without entries and settings that are switched off", () => {
  const text = `# Of the file.

# Back up
#   the database
#30 1 * * * old
#MAILTO=me
0 2 * * * backup
0 3 * * * other
# Not of this one.
A=b
0 4 * * * third
`;
  const lines = readCrontab(text, { hasUsers: false });
  const entries = lines.filter((line) => line.kind === "entry");
  assertEquals(entries.map(({ comment }) => comment), ["Back up\n  the database", undefined, undefined]);
  assertEquals(lines.filter(({ kind }) => kind === "switchedOff").map(({ line }) => line), [5]);
});

test("a comment right above an entry names it, and says what else it is", () => {
  const text =
    "# name: lost\n\n# Back up\n# Name:  nightly-report \n0 2 * * * backup\n# name:\n0 3 * * * other\n0 4 * * * a\n" +
    "# name: not-of-b\n#0 5 * * * off\n0 6 * * * b\n";
  const entries = readCrontab(text, { hasUsers: false }).filter((line) => line.kind === "entry");
  assertEquals(entries.map(({ comment, name }) => [comment, name]), [
    ["Back up", { text: "nightly-report", line: 4 }],
    [undefined, { text: "", line: 6 }],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test("a byte order mark at the beginning says nothing", () => {
  const kinds = (text: string) => readCrontab(text, { hasUsers: false }).map(({ kind }) => kind);
  assertEquals(kinds("\uFEFF0 2 * * * backup\n"), ["entry"]);
  assertEquals(kinds("\uFEFFA=b\n"), ["setting"]);
  assertEquals(kinds("\uFEFF# Of the file.\n"), []);
});

for (const user of ["root", "www-data", "_apt", "j.doe", "Joe2", "host$"]) {
  test(`in a system crontab ${user} is a user`, () => {
    const [entry] = atLeast(1, readCrontab(`* * * * * ${user} x`, { hasUsers: true }));
    assertEquals(entry.kind === "entry" && [entry.user, entry.command], [user, "x"]);
  });
}

for (const program of ["/usr/bin/foo", "./foo", "*", "[", "A=1", "1000"]) {
  test(`in a system crontab ${program} is no user`, () => {
    const text = `* * * * * ${program} bar baz`;
    const reason = `${program} is no name of a user; leave --system out?`;
    assertEquals(readCrontab(text, { hasUsers: true }), [{ kind: "unreadable", line: 1, text, reason }]);
  });
}
