// Expectations of runs: which breach is certain when, and when the next may be.
import type { PodEnd } from "../../src/cronjob/api/types.ts";
import { BATCH, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { EXPECT } from "../../src/cronjob/api/annotations.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { find } from "../../src/cronjob/decision/find.ts";
import type { EndOf } from "../../src/cronjob/knowledge/knowledge.ts";
import { Starting } from "./support/starting.ts";
import { table as tableOf } from "../support/table.ts";
import { test } from "../support/test.ts";
import { at, clockOf, type Given, type JobGiven, world } from "./support/world.ts";
import { present } from "../support/present.ts";

/** The kinds of breaches with the times of their runs and of their certainty, and when the next may be certain. */
function judged(given: Given, api = PRODUCTION) {
  const { breaches, nextAt } = find(world(api, given)).expectations;
  return {
    breaches: breaches.map(({ kind, time, since }) => `${kind} ${clockOf(time)} since ${clockOf(since)}`),
    nextAt: nextAt === undefined ? "never" : clockOf(nextAt),
  };
}

function table(
  name: string,
  rows: readonly (readonly [sentence: string, Given, breaches: string[], nextAt?: string])[],
) {
  tableOf(
    name,
    rows.map(([sentence, given, breaches, nextAt = "never"]) => [sentence, given, { breaches, nextAt }] as const),
    (given, expected) => assertEquals(judged(given), expected),
  );
}

const late = { expect: { startWithinSeconds: 60 } };
table("startWithinSeconds", [
  ["nothing is due", { last: "08:00", now: "08:59", spec: late }, []],
  ["a run is due, and may still start in time", { last: "08:00", now: "09:00:59", spec: late }, [], "09:01"],
  ["a run is due, and has not started", { last: "08:00", now: "09:01", spec: late }, ["Late 09:00 since 09:01"]],
  ["the newest run is late, though others have not started either", {
    last: "06:00",
    now: "09:01",
    spec: late,
    created: "05:30",
  }, [
    "Late 09:00 since 09:01",
  ]],
  [
    "an older run is late, and the newest may be in time",
    {
      last: "06:00",
      now: "09:00:30",
      spec: late,
      created: "05:30",
    },
    ["Late 08:00 since 08:01"],
    "09:01",
  ],
  ["the run is too late to start at all", {
    last: "08:00",
    now: "09:30",
    spec: { ...late, startingDeadlineSeconds: 300 },
  }, ["Late 09:00 since 09:01"]],
  ["its Job started in time", { now: "09:10", spec: late, jobs: [{ time: "09:00", started: "09:01" }] }, []],
  ["its Job started late", { now: "09:10", spec: late, jobs: [{ time: "09:00", started: "09:01:01" }] }, [
    "Late 09:00 since 09:01",
  ]],
  ["its Job has not started, as something holds it", {
    now: "09:10",
    spec: late,
    jobs: [{ time: "09:00", started: null, suspended: true }],
  }, ["Late 09:00 since 09:01"]],
  ["the run after the late run started in time", {
    now: "10:10",
    spec: late,
    jobs: [{ time: "09:00", started: "09:05", state: "succeeded" }, { time: "10:00", started: "10:00" }],
  }, []],
  ["the spread is no delay", {
    last: "08:00",
    now: "09:01",
    name: "spread",
    spec: { ...late, spreadSeconds: 3000 },
  }, []],
  [
    "the time of a pause does not count",
    {
      last: "06:00",
      created: "05:30",
      now: "09:30:30",
      spec: { ...late, pause: { until: "2026-03-10T09:30:00Z" } },
    },
    [],
    "09:31",
  ],
  ["a run by hand has no time", {
    now: "09:10",
    spec: late,
    schedule: "0 0 1 1 *",
    jobs: [{ name: "by-hand", started: "09:05", annotations: { "cronjob.kubernetes.io/instantiate": "manual" } }],
  }, []],
]);

const slow = { expect: { finishBy: "10:00" } };
table("finishBy", [
  ["the run goes on, before the time", { now: "09:30", spec: slow, jobs: [{ time: "09:00" }] }, [], "10:00"],
  [
    "the run goes on, at the time",
    {
      now: "10:00",
      spec: { ...slow, concurrencyPolicy: "Forbid" },
      jobs: [{ time: "09:00" }],
    },
    ["Slow 09:00 since 10:00"],
    "03-11 10:00",
  ],
  ["the run succeeded in time", {
    now: "09:59",
    spec: slow,
    jobs: [{ time: "09:00", state: "succeeded", ended: "09:59" }],
  }, []],
  [
    "the run failed: another may still succeed",
    {
      now: "09:59",
      spec: slow,
      jobs: [{ time: "09:00", state: "failed" }],
    },
    [],
    "10:00",
  ],
  ["the run failed, and the one by hand succeeded in time", {
    now: "10:30",
    schedule: "0 9 * * *",
    created: "03-09 12:00",
    spec: slow,
    jobs: [
      { time: "09:00", state: "failed" },
      {
        name: "by-hand",
        created: "09:30",
        state: "succeeded",
        ended: "09:50",
        annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
      },
    ],
  }, []],
  ["the run succeeded too late", {
    now: "11:30",
    schedule: "0 9 * * *",
    spec: slow,
    jobs: [{ time: "09:00", state: "succeeded", ended: "10:01" }],
  }, ["Slow 09:00 since 10:00"]],
  ["of several runs before the time the newest counts", {
    now: "10:00",
    spec: slow,
    last: "09:00",
    created: "07:30",
    schedule: "0 8-9 * * *",
    jobs: [{ time: "08:00", state: "failed" }, { time: "09:00", state: "succeeded", ended: "09:10" }],
  }, []],
  ["the wall clock of the zone counts", {
    now: "09:00",
    spec: { ...slow, timeZone: "Europe/Berlin" },
    schedule: "30 9 * * *",
    jobs: [{ time: "08:30" }],
  }, ["Slow 08:30 since 09:00"]],
  [
    "the same run stays slow while later runs do not start either",
    {
      now: "12:10",
      last: "06:00",
      created: "05:30",
      spec: slow,
    },
    ["Slow 09:00 since 10:00"],
    "03-11 10:00",
  ],
  ["the Job is gone, and nothing says that a run succeeded", {
    now: "10:30",
    last: "09:00",
    schedule: "0 9 * * *",
    spec: slow,
  }, ["Slow 09:00 since 10:00"]],
  ["the Job is gone, and the status says that a run succeeded", {
    now: "10:30",
    last: "09:00",
    schedule: "0 9 * * *",
    spec: slow,
    status: { lastSuccessfulTime: "2026-03-10T09:20:00Z" },
  }, []],
  ["the Job is gone, and a later success has taken the place of what the status said of it", {
    now: "10:30",
    last: "09:00",
    schedule: "0 9 * * *",
    created: "03-08 12:00",
    spec: slow,
    status: { lastSuccessfulTime: "2026-03-10T10:20:00Z" },
    jobs: [{ time: "03-09 09:00", state: "failed" }],
  }, []],
]);

const suspicious = { expect: { minimumDurationSeconds: 60 } };
table("minimumDurationSeconds", [
  ["long enough", {
    now: "09:10",
    spec: suspicious,
    jobs: [{ time: "09:00", state: "succeeded", ended: "09:01" }],
  }, []],
  ["too short", {
    now: "09:10",
    spec: suspicious,
    jobs: [{ time: "09:00", state: "succeeded", ended: "09:00:59" }],
  }, ["Suspicious 09:00 since 09:00:59"]],
  ["a failure is a failure", {
    now: "09:10",
    spec: suspicious,
    jobs: [{ time: "09:00", state: "failed", ended: "09:00:01" }],
  }, []],
  ["it stays so while the next run goes on", {
    now: "10:00:10",
    spec: suspicious,
    jobs: [{ time: "09:00", state: "succeeded", ended: "09:00:01" }, { time: "10:00" }],
  }, ["Suspicious 09:00 since 09:00:01"]],
]);

const rows = { expect: { messagePattern: "*rows: [1-9]*" } };
const run: JobGiven = { time: "09:00", state: "succeeded", ended: "09:01" };
const said = (message?: string) => ({ "09:00": present<PodEnd>({ container: "main", exitCode: 0, message }) });
table("messagePattern", [
  ["a message of the pattern", { now: "09:10", spec: rows, jobs: [run], ends: said("rows: 17\n") }, []],
  ["another message", { now: "09:10", spec: rows, jobs: [run], ends: said("rows: 0\n") }, [
    "Suspicious 09:00 since 09:01",
  ]],
  ["no message", { now: "09:10", spec: rows, jobs: [run], ends: said() }, ["Suspicious 09:00 since 09:01"]],
  ["no Pod is left", { now: "09:10", spec: rows, jobs: [run], ends: { "09:00": {} } }, []],
  ["it is not read yet", { now: "09:10", spec: rows, jobs: [run], ends: {} }, []],
  ["a failure is a failure", { now: "09:10", spec: rows, jobs: [{ ...run, state: "failed" }], ends: {} }, []],
]);

test("the Pods of the newest run that succeeded are read for its message, once, and no others", async () => {
  const reads: string[] = [];
  const endOf: EndOf = ({ metadata: { name }, state }) => {
    reads.push(`${state} ${name}`);
    return Promise.resolve({ container: "main", exitCode: 0, message: "rows: 0" });
  };
  const s = new Starting({ flavour: PRODUCTION, endOf, spec: { schedule: "0 * * * *", failedJobs: "Keep", ...rows } });
  for (const [time, type] of [["11:00", "Complete"], ["12:00", "Failed"], ["13:00", "Complete"]] as const) {
    await s.run(time, type);
  }
  assertEquals(reads.map((read) => read.split(" ")[0]), ["succeeded", "succeeded"]);
  const met = s.cronJob.status?.conditions?.find(({ type }) => type === "ExpectationsMet");
  assertEquals([met?.status, met?.reason], ["False", "Suspicious"]);
  assertStringIncludes(met?.message ?? "", 'succeeded and said "rows: 0"; messagePattern is "*rows: [1-9]*"');
});

const stale = { expect: { succeededWithinSeconds: 3600 } };
table("succeededWithinSeconds", [
  ["since the creation", { created: "08:30", now: "09:29", last: "09:00", spec: stale }, [], "09:30"],
  ["longer than that", { created: "08:30", now: "09:30", last: "09:00", spec: stale }, ["Stale 08:30 since 09:30"]],
  [
    "since the last success",
    {
      now: "10:00",
      last: "10:00",
      spec: stale,
      jobs: [{ time: "09:00", state: "succeeded", ended: "09:02" }],
    },
    [],
    "10:02",
  ],
  ["not while it is suspended", { created: "03-09 08:30", now: "09:30", spec: { ...stale, suspend: true } }, []],
]);

table("several at once", [
  ["the most urgent comes first", {
    created: "08:30",
    now: "10:30",
    schedule: "0 9 * * *",
    spec: { expect: { startWithinSeconds: 60, finishBy: "10:00", succeededWithinSeconds: 3600 } },
    jobs: [{ time: "09:00", started: "09:10" }],
  }, ["Late 09:00 since 09:01", "Slow 09:00 since 10:00", "Stale 08:30 since 09:30"]],
  ["no expectation", { created: "08:30", now: "10:30" }, []],
]);

test("the first status says nothing of the time before it", () => {
  const conditions = (since: string) =>
    (["Suspended", "ScheduleValid"] as const).map((type) => ({
      type,
      status: type === "Suspended" ? "False" as const : "True" as const,
      reason: "",
      message: "",
      lastTransitionTime: type === "Suspended" ? "2026-03-10T10:30:00Z" : since,
    }));
  const breaches = (since: string) =>
    judged({
      now: "10:31",
      created: "09:30",
      spec: late,
      jobs: [{ time: "10:00", started: "10:30" }],
      status: { conditions: conditions(since) },
    }).breaches;
  assertEquals(breaches("2026-03-10T10:30:00Z"), ["Late 10:00 since 10:01"]);
  assertEquals(breaches("2026-03-10T09:30:00Z"), [], "it was suspended until then");
});

test("the tutorial's API has the field too, and batch/v1 an annotation", () => {
  const given: Given = { last: "08:00", now: "09:01" };
  const found = { breaches: ["Late 09:00 since 09:01"], nextAt: "never" };
  assertEquals(judged({ ...given, spec: late }, TUTORIAL), found);
  assertEquals(judged({ ...given, annotations: { [EXPECT]: JSON.stringify(late.expect) } }, BATCH), found);
});

tableOf(
  "a bad annotation is ignored, and said with the remedy",
  [
    ["no JSON", "60", 'must be an object, such as {"startWithinSeconds":300,"finishBy":"06:00"}'],
    ["no time", '{"finishBy":"6:00"}', "finishBy must be a time of the day such as 06:00"],
    ["no such field", '{"finishedBy":"06:00"}', "unknown field finishedBy"],
    [
      "a long pattern",
      JSON.stringify({ messagePattern: "x".repeat(201) }),
      "messagePattern must be a text of 0 to 200 characters",
    ],
    ["nothing is as short", '{"startWithinSeconds":0}', "startWithinSeconds must be a whole number, 1 or more"],
  ],
  (text, remedy) => {
    const { settings } = world(BATCH, { now: "09:00", annotations: { [EXPECT]: text } }).cronJob;
    assertEquals(settings.expect, undefined);
    assertEquals(settings.problems.map((problem) => problem.includes(remedy)), [true], settings.problems.join());
  },
);

test("a time that the clocks skip or repeat goes by clockChangePolicy", () => {
  // In Berlin 2026-03-29 02:00 is followed by 03:00.
  const given = (clockChangePolicy: { gap: "Skip" | "RunAfter" }): Given => ({
    now: "03-29 00:30",
    schedule: "0 1 * * *",
    created: "03-28 12:00",
    spec: { timeZone: "Europe/Berlin", expect: { finishBy: "02:30" }, clockChangePolicy },
    jobs: [{ time: "03-29 00:00" }],
  });
  assertEquals(judged(given({ gap: "RunAfter" })).nextAt, clockOf(at("03-29 01:00")));
  assertEquals(judged(given({ gap: "Skip" })).nextAt, clockOf(at("03-30 00:30")));
});
