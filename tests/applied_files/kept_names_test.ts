import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { keptNames } from "../../src/applied_files/kept_names.ts";
import { namesOf } from "../../src/crontab/names.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

/** Lines of a crontab; all times are five fields. */
const entries = (...lines: string[]) =>
  lines.map((text) => ({ text, script: text.trim().split(/\s+/).slice(5).join(" ") }));

const CASES: Record<string, { before: [name: string, text: string][]; now: string[]; names: string[] }> = {
  "a line above or below changes no name": {
    before: [["backup", "0 1 * * * /bin/backup"]],
    now: ["5 * * * * /bin/sync", "0 1 * * * /bin/backup", "7 * * * * /bin/other"],
    names: ["sync", "backup", "other"],
  },
  "a second line of the same program takes nothing from the first": {
    before: [["backup", "0 1 * * * /bin/backup a"]],
    now: ["0 2 * * * /bin/backup b", "0 1 * * * /bin/backup a"],
    names: ["backup-0zcp2e", "backup"],
  },
  "a line whose times are edited keeps its name, wherever it is moved": {
    before: [["backup-one", "0 1 * * * /bin/backup a"], ["backup-two", "0 1 * * * /bin/backup b"]],
    now: ["30 4 * * * /bin/backup b", "0 1 * * *   /bin/backup a"],
    names: ["backup-two", "backup-one"],
  },
  "a line whose arguments are edited keeps its name": {
    before: [["backup", "0 1 * * * /bin/backup a"], ["sync", "0 1 * * * /bin/sync"]],
    now: ["0 1 * * * /bin/backup --fast a", "0 1 * * * /bin/sync"],
    names: ["backup", "sync"],
  },
  "another program is another CronJob": {
    before: [["backup", "0 1 * * * /bin/backup"]],
    now: ["0 1 * * * /bin/restore"],
    names: ["restore"],
  },
  "lines that say the same are distinguished, and stay so": {
    before: [["a", "* * * * * a"], ["a-2", "* * * * * a"]],
    now: ["* * * * * a", "* * * * * a"],
    names: ["a", "a-2"],
  },
};

for (const [name, { before, now, names }] of Object.entries(CASES)) {
  test(`keptNames(): ${name}`, () => {
    const found = keptNames(entries(...now), before.map(([name, text]) => ({ name, text })));
    assertEquals(found.map((each) => each.replace(/-[0-9a-z]{6}$/, "-0zcp2e")), names);
  });
}

test("keptNames() gives each entry a name of its own, those of import at first, and the same again", () => {
  const line = fc.tuple(fc.constantFrom("0 1 * * *", "@daily x", "5 5 * * 5"), fc.constantFrom("a", "b", "a b", "c"));
  const lines = fc.array(line.map(([times, command]) => `${times} ${command}`), { maxLength: 8 });
  fc.assert(fc.property(lines, lines, (first, second) => {
    const names = keptNames(entries(...first), []);
    assertEquals(names, namesOf(entries(...first)));
    const before = names.map((name, i) => ({ name, text: must(first[i]) }));
    assertEquals(keptNames(entries(...first), before).toSorted(), names.toSorted());
    const later = keptNames(entries(...second), before);
    assertEquals(new Set(later).size, second.length);
    for (const [i, text] of second.entries()) {
      // One that was not touched keeps its name.
      const isTheOnly = first.filter((each) => each === text).length === 1 && second.indexOf(text) === i;
      if (isTheOnly) assertEquals(later[i], names[first.indexOf(text)]);
    }
  }));
});
