import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { noManifests, parseManifests } from "../../src/manifest_files/parse.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { lint } from "../../src/lint/lint.ts";
import type { RuleId } from "../../src/lint/rules.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { batch, OK, TEMPLATE, tutorial } from "./support/manifests.ts";

const NOW = "2026-06-15T10:00:00Z";

/** Each finding as `severity rule field line`. Nearly all texts are without a time zone. */
function lintText(text: string, disabled: readonly RuleId[] = ["no-time-zone"]): string[] {
  const read = noManifests();
  parseManifests(text, "file.yaml", read);
  return lint(read, Date.parse(NOW), { disabled: new Set(disabled) }).findings.map(({ severity, rule, field, line }) =>
    [severity, rule, field, line].join(" ")
  );
}

/** What a manifest gets; the spec starts at line 5. */
const CASES: readonly (readonly [what: string, text: string, ...findings: string[]])[] = [
  ["a sound CronJob", batch(`  schedule: 5 2 * * *\n${OK}`)],
  ["a sound CronJob of the CRD", tutorial(`  schedule: 5 2 * * *\n${OK}`)],
  ["YAML 1.1, as kubectl reads it", batch(`  schedule: 5 2 * * *\n  suspend: yes\n${OK}`)],
  ["other kinds", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: 1}"],

  ["a bad schedule", batch(`  schedule: 0 0 * * 7\n${OK}`), "error schedule spec.schedule 5"],
  ["a bad schedule of the CRD", tutorial(`  schedule: 0 24 * * *\n${OK}`), "error schedule spec.schedule 5"],
  [
    "what the CRD's schema refuses",
    tutorial(
      `  schedule: 5 2 * * *\n  concurrencyPolicy: Sometimes\n  startingDeadlineSeconds: -1`,
      `{name: ${"x".repeat(53)}}`,
    ),
    "error invalid metadata.name 3",
    "error invalid spec.concurrencyPolicy 6",
    "error invalid spec.startingDeadlineSeconds 7",
  ],
  ["no schedule", batch(OK), "error schedule spec.schedule 5"],
  ["a schedule that is no text", batch(`  schedule: 5\n${OK}`), "error type spec.schedule 5"],
  [
    "a bad schedule in a bad zone",
    batch(`  schedule: x\n  timeZone: europe/berlin\n${OK}`),
    "error schedule spec.schedule 5",
    "error time-zone spec.timeZone 6",
  ],
  ["an empty zone", batch(`  schedule: 5 2 * * *\n  timeZone: ""\n${OK}`), "error invalid spec.timeZone 6"],
  ["TZ in the schedule", batch(`  schedule: TZ=UTC 5 2 * * *\n${OK}`), "error invalid spec.schedule 5"],
  ["a day of the month's end in batch/v1", batch(`  schedule: 5 2 L * *\n${OK}`), "error schedule spec.schedule 5"],
  ["days that depend on their month in the CRD", tutorial(`  schedule: 5 2 LW,L-3 * *\n${OK}`)],
  ["a weekday's name with # and L", tutorial(`  schedule: 5 2 * * FRI#2,sunL\n${OK}`)],
  [
    "a weekday's number with #",
    tutorial(`  schedule: 5 2 * * 1-3,5#2\n${OK}`),
  ],
  [
    "a weekday's number with L in the annotation",
    batch(`  schedule: 5 2 * * *\n${OK}`, "{name: report, annotations: {cronjob-controller.dev/schedule: 5 2 * * 5L}}"),
  ],
  [
    "a bad day in the annotation",
    batch(`  schedule: 5 2 * * *\n${OK}`, "{name: report, annotations: {cronjob-controller.dev/schedule: 5 2 0W * *}}"),
    "error annotation metadata.annotations[cronjob-controller.dev/schedule] 3",
  ],
  [
    "days of the month or of the week, both by their month",
    tutorial(`  schedule: 5 2 L * FRI#2\n${OK}`),
    "warning day-or-weekday spec.schedule 5",
  ],
  ["a date by its month beside a star", tutorial(`  schedule: 5 2 L * ?\n${OK}`)],
  ["a day that no such month has", tutorial(`  schedule: 5 2 30W 2 *\n${OK}`), "warning never-runs spec.schedule 5"],
  ["H in batch/v1", batch(`  schedule: H 2 * * *\n${OK}`), "error schedule spec.schedule 5"],
  ["H in the CRD", tutorial(`  schedule: H 2 * * *\n${OK}`)],
  [
    "H in the annotation",
    batch(`  schedule: 5 2 * * *\n${OK}`, "{name: report, annotations: {cronjob-controller.dev/schedule: H H * * *}}"),
  ],
  [
    "a bad annotation",
    batch(`  schedule: 5 2 * * *\n${OK}`, "{name: report, annotations: {cronjob-controller.dev/on-edit: Never}}"),
    "error annotation metadata.annotations[cronjob-controller.dev/on-edit] 3",
  ],
  ["an unknown field", batch(`  schedule: 5 2 * * *\n  timezone: UTC\n${OK}`), "error unknown-field spec.timezone 6"],
  ["a field of the wrong type", batch(`  schedule: 5 2 * * *\n  suspend: "no"\n${OK}`), "error type spec.suspend 6"],
  [
    "a negative deadline",
    batch(`  schedule: 5 2 * * *\n  startingDeadlineSeconds: -1`),
    "error invalid spec.startingDeadlineSeconds 6",
  ],
  [
    "an unknown policy",
    batch(`  schedule: 5 2 * * *\n  concurrencyPolicy: Sometimes`),
    "error invalid spec.concurrencyPolicy 6",
  ],
  ["no name", batch(`  schedule: 5 2 * * *\n${OK}`, "{}"), "error invalid metadata.name 3"],
  ["a generated name", batch(`  schedule: 5 2 * * *\n${OK}`, "{generateName: report-}")],
  [
    "a name over 52 characters",
    batch(`  schedule: 5 2 * * *\n${OK}`, `{name: ${"x".repeat(53)}}`),
    "error invalid metadata.name 3",
  ],
  [
    "a bad label",
    batch(`  schedule: 5 2 * * *\n${OK}`, "{name: report, labels: {a: -x-}}"),
    "error invalid metadata.labels 3",
  ],
  [
    "a container without a name",
    batch(`  schedule: 5 2 * * *\n${OK}\n${TEMPLATE.replace("name: main, ", "")}`),
    "error invalid spec.jobTemplate.spec.template.spec.containers[0].name 12",
  ],
  [
    "a bad Job template in the CRD, which takes any",
    tutorial(`  schedule: 5 2 * * *\n${OK}\n${TEMPLATE.replace("Never", "Always")}`),
    "error job-template spec.jobTemplate.spec.template.spec.restartPolicy 11",
  ],
  ["an API that is gone", batch(`  schedule: 5 2 * * *`).replace("v1", "v1beta1"), "error api-version apiVersion 1"],
  ["broken YAML", "kind: [\n", "error manifest  2"],
  ["a key that is there twice", "kind: CronJob\nkind: CronJob\n", "error manifest  2"],
  ["no Kubernetes object", "a: 1", "error manifest  1"],

  [
    "exclusions that leave nothing",
    tutorial(`  schedule: 0 6 * * *\n  exclude: [{schedule: 0 6 * * *}]\n${OK}`),
    "warning everything-excluded spec.exclude 6",
  ],
  [
    "exclusions that leave nothing of several schedules",
    tutorial(
      `  schedule: 0 6 * * *\n  schedules: [{schedule: 0 6 * * *}, {schedule: 0 7 * * *}]\n` +
        `  exclude: [{schedule: 0 6-7 * * *}]\n${OK}`,
    ),
    "warning everything-excluded spec.exclude 7",
  ],
  [
    "exclusions that leave one of several schedules",
    tutorial(
      `  schedule: 0 6 * * *\n  schedules: [{schedule: 0 6 * * *}, {schedule: 0 7 * * *}]\n` +
        `  exclude: [{schedule: 0 6 * * *}]\n${OK}`,
    ),
  ],
  [
    "hazards of one of several schedules",
    tutorial(
      `  schedule: 0 6 * * *\n  schedules:\n  - {schedule: 0 6 * * *}\n  - {schedule: 0 0 31 2 *}\n` +
        `  - {schedule: 5 2 1 * 1}\n  exclude: [{dates: ["--12-31"]}]\n${OK}`,
    ),
    "warning never-runs spec.schedules[1].schedule 8",
    "warning day-or-weekday spec.schedules[2].schedule 9",
  ],
  [
    "what can't be an exclusion",
    tutorial(`  schedule: 5 2 * * *\n  exclude: [{dates: ["2026-12-25"]}, {from: "2026-08-01"}]\n${OK}`),
    "error exclude spec.exclude[1] 6",
  ],
  [
    "what can't be an exclusion, in the annotation",
    batch(`  schedule: 5 2 * * *\n${OK}`, "{name: report, annotations: {cronjob-controller.dev/exclude: '[5]'}}"),
    "error annotation metadata.annotations[cronjob-controller.dev/exclude] 3",
  ],
  ["a date that never comes", batch(`  schedule: 0 0 31 2 *\n${OK}`), "warning never-runs spec.schedule 5"],
  ["day-of-month or day-of-week", batch(`  schedule: 5 2 1 * 1\n${OK}`), "warning day-or-weekday spec.schedule 5"],
  ["a step that is no star", batch(`  schedule: 5 2 */2 * 1\n${OK}`), "warning day-or-weekday spec.schedule 5"],
  [
    "a list of all days that is no star",
    batch(`  schedule: 5 2 1-31 * 1\n${OK}`),
    "warning day-or-weekday spec.schedule 5",
  ],
  ["a star with a step of 1", batch(`  schedule: 5 2 */1 * 1\n${OK}`)],
  [
    "runs inside clock changes",
    batch(`  schedule: 30 2 * * *\n  timeZone: Europe/Berlin\n${OK}`),
    "warning clock-change-gap spec.schedule 5",
    "warning clock-change-overlap spec.schedule 5",
  ],
  [
    "runs inside clock changes, with a policy for one kind",
    tutorial(`  schedule: 30 2 * * *\n  timeZone: Europe/Berlin\n  clockChangePolicy: {overlap: First}\n${OK}`),
    "warning clock-change-gap spec.schedule 5",
  ],
  ["runs beside clock changes", batch(`  schedule: 30 3 * * *\n  timeZone: Europe/Berlin\n${OK}`)],
  ["hourly runs, which go on as time does", batch(`  schedule: 30 * * * *\n  timeZone: Europe/Berlin\n${OK}`)],
  ["Allow without a deadline", batch("  schedule: 5 * * * *"), "hint allow-without-deadline spec 5"],
  ["Allow without a deadline, monthly", batch("  schedule: 5 2 1 * *")],
  ["Allow without a deadline, daily", batch("  schedule: 5 2 * * *")],
  [
    "Allow without a deadline, in some hours",
    batch("  schedule: 0,30 9 * * 1"),
    "hint allow-without-deadline spec 5",
  ],
  [
    "catchUp All under Forbid, with runs that do not",
    tutorial("  schedule: 5 2 * * *\n  concurrencyPolicy: Forbid\n  catchUp: {policy: All}"),
  ],
  [
    "Allow without a deadline, said so",
    batch("  schedule: 5 * * * *\n  concurrencyPolicy: Allow"),
    "hint allow-without-deadline spec.concurrencyPolicy 6",
  ],
  ["Forbid without a deadline", batch("  schedule: 5 2 * * *\n  concurrencyPolicy: Forbid")],
  [
    "a Job with a deadline of its own",
    batch("  schedule: 5 2 * * *\n" + TEMPLATE.replace("template:", "activeDeadlineSeconds: 60\n      template:")),
  ],
  [
    "no history limits in the CRD",
    batch(`  schedule: 5 2 * * *\n${OK}`).replace("batch/v1", "batch.tutorial.kubebuilder.io/v1"),
    "warning no-history-limit spec 5",
  ],
];

for (const [what, text, ...findings] of CASES) {
  test(`lint finds ${findings.length === 0 ? "nothing" : findings.join(", ")} in: ${what}`, () => {
    assertEquals(lintText(text), findings);
  });
}

test("lint finds in a CronJob of the production flavour what it finds in the tutorial's, but for the limits that it has", () => {
  const ofTutorial = CASES.filter(([, text]) => text.includes("batch.tutorial.kubebuilder.io/v1"));
  assert(ofTutorial.length > 10);
  for (const [what, text, ...findings] of ofTutorial) {
    const found = lintText(text.replaceAll("batch.tutorial.kubebuilder.io/v1", "cronjob-controller.dev/v1"));
    assertEquals(found, findings.filter((finding) => !finding.includes("no-history-limit")), what);
  }
});

test("lint finds many CronJobs at the top of the hour, but not those that run more often", () => {
  const named = (name: string, schedule: string) => batch(`  schedule: ${schedule}\n${OK}`, `{name: ${name}}`);
  const four = [1, 2, 3, 4].map((i) => named(`n${i}`, `0 ${i} * * *`));
  assertEquals(lintText([...four, named("often", '"*/5 * * * *"')].join("---\n")), []);
  assertEquals(lintText([...four, named("fifth", '"@daily"')].join("---\n")), [
    "warning top-of-the-hour spec.schedule 5",
  ]);
});

test("lint says that a schedule needs quotes where YAML takes its first character for itself", () => {
  for (const schedule of ["*/5 * * * *", "* * * * *", "@daily"]) {
    const read = noManifests();
    parseManifests(batch(`  schedule: ${schedule}`), "file.yaml", read);
    const [{ reason, line }] = atLeast(1, read.faults);
    assert(reason.endsWith(`write the schedule in quotes: "${schedule}"`) && line === 5, `${line}: ${reason}`);
  }
});

test("lint finds what is inside lists, at its line", () => {
  const list = `apiVersion: v1
kind: List
items:
  - apiVersion: batch/v1
    kind: CronJob
    metadata: {name: report}
    spec:
      schedule: 0 0 * * 7
      startingDeadlineSeconds: 60
      jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}}}
`;
  assertEquals(lintText(list), ["error schedule spec.schedule 8"]);
  assertEquals(
    lintText(JSON.stringify({
      apiVersion: "batch/v1",
      kind: "CronJobList",
      items: [{ metadata: { name: "report" }, spec: { schedule: "@daily", concurrencyPolicy: "Forbid" } }],
    })).map((finding) => finding.replace(/ \d+$/, "")),
    [
      "error invalid spec.jobTemplate.spec.template.spec.containers",
      "error invalid spec.jobTemplate.spec.template.spec.restartPolicy",
    ],
  );
});

test("lint has an answer to whatever stands in a field", () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(null, -1, 0.5, 1e300, "", [], {}, [null], "H", "*", true, { toString: false }),
  );
  for (const apiVersion of FLAVOURS.map(({ apiVersion }) => apiVersion)) {
    const sound = () => ({
      apiVersion,
      kind: "CronJob",
      metadata: { name: "a", labels: { a: "b" }, annotations: { "cronjob-controller.dev/catch-up": "All" } },
      spec: {
        schedule: "5 2 * * *",
        timeZone: "UTC",
        startingDeadlineSeconds: 5,
        clockChangePolicy: { gap: "Skip" },
        pause: { until: "2026-01-01T00:00:00Z" },
        jobTemplate: {
          metadata: { labels: { a: "b" } },
          spec: {
            template: {
              spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b", env: [{ name: "X" }] }] },
            },
          },
        },
      },
    });
    const paths = pathsOf(sound());
    const runtimes = fc.constantFrom("process" as const, "podman" as const, undefined);
    fc.assert(
      fc.property(fc.constantFrom(...paths), value, runtimes, (path, value, runtime) => {
        // deno-lint-ignore no-explicit-any
        const object: any = sound();
        const parent = path.slice(0, -1).reduce((at, key) => at[key], object);
        parent[path.at(-1)!] = value;
        const position = () => ({ line: 1, column: 1 });
        const read = { manifests: [{ object, source: "x", position }], faults: [], texts: new Map([["x", ""]]) };
        lint(read, Date.parse(NOW), { runtime });
      }),
      { numRuns: 1000 },
    );
  }
});

function pathsOf(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsOf(inner).map((path) => [key, ...path])]);
}
