// The facts of a CronJob's page that depend on how its runs went.
import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { EXCLUDE, EXPECT } from "../../src/cronjob/api/annotations.ts";
import { factsOf } from "../../src/dashboard/reads/facts.ts";
import { detailOf } from "../../src/dashboard/reads/detail.ts";
import type { Event } from "../../src/kube/resource.ts";
import type { Exclusion } from "../../src/schedule/exclusions/exclusion.ts";
import { whyWithoutJob } from "../../src/view/explain/run_verdict.ts";
import { lookAt } from "../../src/view/look.ts";
import { type Given, type JobGiven, world } from "../cronjob/support/world.ts";
import { event } from "../view/support/facts.ts";
import { must } from "../support/expected.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

const run: JobGiven = { time: "10:00", state: "succeeded", ended: "10:01" };
const expect = (minimumDurationSeconds: number) => ({ startWithinSeconds: 300, minimumDurationSeconds });

table("the page says what is expected of runs, and whether that is met", [
  ["nothing is expected", { now: "10:20", jobs: [run] }, PRODUCTION, undefined],
  [
    "all is met",
    { now: "10:20", jobs: [run], spec: { expect: expect(60) } },
    PRODUCTION,
    "startWithinSeconds 300, minimumDurationSeconds 60: met",
  ],
  [
    "a run was too short",
    { now: "10:20", jobs: [run], spec: { expect: expect(61) } },
    PRODUCTION,
    "startWithinSeconds 300, minimumDurationSeconds 61: not met: Suspicious",
  ],
  [
    "a controller that does not read annotations runs it",
    { now: "10:20", jobs: [run], annotations: { [EXPECT]: JSON.stringify(expect(61)) } },
    BATCH,
    "startWithinSeconds 300, minimumDurationSeconds 61: not met: Suspicious",
  ],
], (given: Given, api: Flavour, expected: string | undefined) => {
  const { cronJob, jobs, now } = world(api, given);
  const facts = factsOf(lookAt({ cronJob, jobs, now, pods: [], runner: undefined, events: [] }));
  assertEquals(facts.find(({ label }) => label === "Expectations")?.value, expected);
});

test("the page names annotations that have no effect", () => {
  const { cronJob, jobs, now } = world(PRODUCTION, { now: "10:20", annotations: { [EXCLUDE]: "[]" } });
  const facts = factsOf(lookAt({ cronJob, jobs, now, pods: [], runner: undefined, events: [] }));
  assertEquals(
    facts.find(({ label }) => label === "Without effect")?.value,
    "annotation cronjob-controller.dev/exclude, which this API has in the spec",
  );
});

table("the page says whose clock counts, and what a change of it does", [
  ["no zone", { now: "10:20" }, ["UTC, as no timeZone is set", undefined]],
  [
    "a zone",
    { now: "10:20", spec: { timeZone: "Europe/Berlin", clockChangePolicy: { gap: "RunAfter", overlap: "First" } } },
    ["Europe/Berlin", "a time that the clocks skip runs after the gap; a time that they repeat runs the first time"],
  ],
  ["a zone that there is not", {
    now: "10:20",
    spec: { schedules: [{ schedule: "0 1 * * *", timeZone: "Europe/Berln" }] },
  }, [
    undefined,
    undefined,
  ]],
  ["an interval", { now: "10:20", schedule: "@every 1h", spec: { timeZone: "Europe/Berlin" } }, [
    "Europe/Berlin",
    undefined,
  ]],
  [
    "several zones, and no policy, which a foreign server wrote as null",
    {
      now: "10:20",
      spec: {
        clockChangePolicy: null as unknown as undefined,
        timeZone: "Europe/Berlin",
        schedules: [{ schedule: "0 1 * * *", timeZone: "UTC" }, { schedule: "0 2 * * *" }],
      },
    },
    ["UTC", "a time that the clocks skip does not run; a time that they repeat runs twice"],
  ],
], (given: Given, expected: (string | undefined)[]) => {
  const { cronJob, jobs, now } = world(PRODUCTION, given);
  const facts = factsOf(lookAt({ cronJob, jobs, now }));
  assertEquals(["Time zone", "Clock changes"].map((of) => facts.find(({ label }) => label === of)?.value), expected);
});

table("the page says in words what is excluded", [
  [
    "dates, of one year and of each",
    [{ dates: ["2026-12-25", "--12-31"] }],
    "2026-12-25, 31 December of each year",
  ],
  ["days", [{ from: "2026-12-24", to: "2027-01-02" }], "from 2026-12-24 to the end of 2027-01-02"],
  [
    "times, and a window",
    [{ from: "2026-12-24T18:00", to: "2026-12-27T06:00" }, { schedule: "0 22 * * 5", duration: "2h" }],
    'from 2026-12-24 18:00 until 2026-12-27 06:00; for 2h from each time of "0 22 * * 5" on',
  ],
  ["a window of a minute", [{ schedule: "0 22 * * 5" }], 'for 1m from each time of "0 22 * * 5" on'],
  ["an entry that cannot be read", [{ on: "Friday" } as Exclusion], '{"on":"Friday"}'],
  ["nothing", [], undefined],
], (exclude: Exclusion[], expected: string | undefined) => {
  const told = (spec: Given["spec"]) => {
    const { cronJob, jobs, now } = world(PRODUCTION, { now: "10:20", spec: { exclude, ...spec } });
    return factsOf(lookAt({ cronJob, jobs, now })).find(({ label }) => label === "Excluded")?.value;
  };
  assertEquals(told({}), expected);
  assertEquals(told({ onExcluded: "RunAfter" }), expected && `${expected}; what it leaves out runs once at its end`);
});

test("the page says of each run without a Job why it has none, in the tense of its outcome", () => {
  const spec = { concurrencyPolicy: "Forbid" } as const;
  const { cronJob, jobs, now } = world(PRODUCTION, { now: "10:20", last: "09:00", spec, jobs: [{ time: "09:00" }] });
  const { runs } = detailOf({ input: { cronJob, jobs, now }, object: cronJob.object, events: undefined });
  assertEquals(runs.map(({ outcome, why }) => `${outcome}: ${why}`), [
    "Waiting: it waits for an active run to end",
    "Running: undefined",
  ]);
  const skipped = { ...must(runs[0]), outcome: "Skipped" } as const;
  assertEquals(whyWithoutJob(skipped), "another run was active then");
  assertEquals(whyWithoutJob({ ...skipped, reason: "constructor" }), undefined);
});

test("the page says of a run that was passed over how its Job was refused", () => {
  const status = { passedOver: [{ after: "2026-03-10T09:00:00Z", before: "2026-03-10T11:00:00Z" }] };
  const { cronJob, jobs, now } = world(PRODUCTION, { now: "11:20", last: "11:00", status });
  const events = [event("FailedCreate", "Error creating job: exceeded quota", "10:00:01")];
  const { runs } = detailOf({ input: { cronJob, jobs, now, events }, object: cronJob.object, events: undefined });
  assertEquals(runs.map(({ outcome, why }) => `${outcome}: ${why}`), ["Missed: Error creating job: exceeded quota"]);
});

test("Events that warn stand before the others", () => {
  const { cronJob, jobs, now } = world(PRODUCTION, { now: "10:20" });
  const about = (reason: string, type: string, firstTimestamp: string) =>
    ({ metadata: {}, involvedObject: { kind: "CronJob" }, type, reason, firstTimestamp }) as Event;
  const told = [
    about("A", "Warning", "2026-03-10T10:00:00Z"),
    about("B", "Normal", "2026-03-10T10:01:00Z"),
    about("C", "Warning", "2026-03-10T10:02:00Z"),
  ];
  const { events } = detailOf({ input: { cronJob, jobs, now }, object: cronJob.object, events: told });
  assertEquals(events?.map(({ reason }) => reason), ["C", "A", "B"]);
});
