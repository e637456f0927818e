import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { nameFault, namesOf } from "../../src/crontab/names.ts";
import { atLeast, must } from "../support/expected.ts";
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
    names: ["backup-2", "backup"],
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
  "a line whose arguments are edited keeps its name, and not that of a removed line of the same program": {
    before: [["echo-leap", "15 10 29 2 * echo leap"], ["echo-minutely", "* * * * * echo minutely"]],
    now: ["* * * * * echo every minute"],
    names: ["echo-minutely"],
  },
  "another program is another CronJob": {
    before: [["backup", "0 1 * * * /bin/backup"]],
    now: ["0 1 * * * /bin/restore"],
    names: ["restore"],
  },
  "a word of their own distinguishes lines of the same program, whatever is done with what they write": {
    before: [],
    now: [
      "0 1 * * * /bin/report --daily -v >> /var/log/a",
      "0 2 * * * /bin/report --weekly -v >> /var/log/b",
      "0 3 * * * /bin/report >/dev/null",
      "0 4 * * * cd /srv && rsync -a /home/ana/ /mnt/$(date +%F)",
      "0 5 * * * rsync -a /etc /mnt/$(date +%F)",
    ],
    names: ["report-daily", "report-weekly", "report", "rsync-ana", "rsync-etc"],
  },
  "no secret is in a name": {
    before: [],
    now: [
      "0 1 * * * curl -u ana:secret https://bo:secret@a.example/one",
      "0 2 * * * curl --password=secret --key secret2 a.example/two",
      "0 3 * * * curl -psecret --api-key secret3",
    ],
    names: ["curl", "curl-two", "curl-2"],
  },
  "lines that run the same at other times are numbered": {
    before: [],
    now: ["0 1 * * * report", "0 13 * * * report"],
    names: ["report", "report-2"],
  },
  "a new line of the same program changes no name": {
    before: [["report-daily", "0 1 * * * report --daily"], ["report-2", "0 2 * * * report --all"]],
    now: ["0 0 * * * report --hourly", "0 1 * * * report --daily", "0 2 * * * report --all"],
    names: ["report-hourly", "report-daily", "report-2"],
  },
  "lines that say the same are distinguished, and stay so": {
    before: [["a", "* * * * * a"], ["a-2", "* * * * * a"]],
    now: ["* * * * * a", "* * * * * a"],
    names: ["a", "a-2"],
  },
};

for (const [name, { before, now, names }] of Object.entries(CASES)) {
  test(`names of entries: ${name}`, () => {
    assertEquals(namesOf(entries(...now), { before: before.map(([name, text]) => ({ name, text })) }), names);
  });
}

test("each entry has a name of its own, and keeps it while it is not touched", () => {
  const line = fc.tuple(fc.constantFrom("0 1 * * *", "@daily x", "5 5 * * 5"), fc.constantFrom("a", "b", "a b", "c"));
  const lines = fc.array(line.map(([times, command]) => `${times} ${command}`), { maxLength: 8 });
  fc.assert(fc.property(lines, lines, (first, second) => {
    const names = namesOf(entries(...first));
    const before = names.map((name, i) => ({ name, text: must(first[i]) }));
    assertEquals(namesOf(entries(...first), { before }).toSorted(), names.toSorted());
    const later = namesOf(entries(...second), { before });
    assertEquals(new Set(later).size, second.length);
    for (const [i, text] of second.entries()) {
      // One that was not touched keeps its name.
      const isTheOnly = first.filter((each) => each === text).length === 1 && second.indexOf(text) === i;
      if (isTheOnly) assertEquals(later[i], names[first.indexOf(text)]);
    }
  }));
});

test("a given name is the entry's, and no other has it, whatever it was before", () => {
  const [first, second, third] = atLeast(3, entries("0 1 * * * a", "0 2 * * * b", "0 3 * * * a"));
  const before = [{ name: "nightly", text: third.text }, { name: "b", text: second.text }];
  assertEquals(namesOf([{ ...first, givenName: "nightly" }, second, third], { before }), ["nightly", "b", "a"]);
  assertEquals(namesOf([first, { ...second, givenName: "a" }]), ["a-2", "a"]);
  assertEquals(namesOf([{ ...first, givenName: "nightly" }], { host: "web-1" }), ["web-1-nightly"]);
});

test("a name is small letters, digits and dashes, as many as a CronJob's may have", () => {
  for (const name of ["a", "nightly-report", "7", "a".repeat(52)]) assertEquals(nameFault(name), undefined);
  for (const name of ["", "Nightly Report", "a_b", "-a", "a-", "a.b", "a".repeat(53)]) {
    assertEquals(nameFault(name)?.slice(0, 52), "must be small letters, digits and dashes, 52 at most", name);
  }
});
