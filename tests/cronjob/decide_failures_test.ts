import { BATCH, type Flavour, FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { CronJobStatus } from "../../src/cronjob/api/types.ts";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import { assertEquals } from "@std/assert";
import { table as tableOf } from "../support/table.ts";
import { test } from "../support/test.ts";
import { countFailures } from "../../src/cronjob/decision/failures.ts";
import { type Row, table } from "./support/table.ts";
import { type Given, type JobGiven, world } from "./support/world.ts";

const failed = (time: string, more: Partial<JobGiven> = {}): JobGiven => ({ time, state: "failed", ...more });
const succeeded = (time: string, more: Partial<JobGiven> = {}): JobGiven => ({ time, state: "succeeded", ...more });

/** The same in every flavour: three failures pause it. */
type FailuresInARow = NonNullable<CronJobStatus["failuresInARow"]>;

function pausing(api: Flavour, record?: FailuresInARow): Pick<Given, "spec" | "annotations" | "status"> {
  if (api.extrasIn === "spec") return { spec: { pauseAfterFailures: 3 }, status: record && { failuresInARow: record } };
  return {
    annotations: {
      "cronjob-controller.dev/pause-after-failures": "3",
      ...(record && { "cronjob-controller.dev/failures-in-a-row": JSON.stringify(record) }),
    },
  };
}

/** What a CronJob of a table is paused with. */
function markOf(api: Flavour): string {
  return readCronJob(api, world(api, { now: "10:00", ...pausing(api) }).cronJob.object).resumeMark;
}

/** As recorded, of hourly runs that took a minute. */
function counted(api: Flavour, count: number, ...times: string[]): FailuresInARow {
  return {
    count,
    counted: times.map((time) => ({ endTime: `2026-03-10T${time.slice(0, 3)}01:00Z`, jobName: nameOf(api, time) })),
  };
}

function nameOf(api: Flavour, time: string): string {
  return `report-${Date.parse(`2026-03-10T${time}:00Z`) / 1_000 / api.nameUnitSeconds}`;
}

const rows = (api: Flavour): Row[] => {
  const paused: FailuresInARow = {
    ...counted(api, 3, "09:00", "08:00", "07:00"),
    pausedSince: "2026-03-10T09:01:00Z",
    pausedWith: markOf(api),
  };
  return [
    ["two failures do not pause it", {
      ...pausing(api),
      created: "06:30",
      last: "09:00",
      now: "10:00",
      jobs: [succeeded("07:00"), failed("08:00"), failed("09:00")],
    }, { start: "10:00" }],
    ["three failures do", {
      ...pausing(api),
      created: "06:30",
      last: "09:00",
      now: "10:00",
      jobs: [failed("07:00"), failed("08:00"), failed("09:00")],
    }, { events: ["PausedAfterFailures"], requeue: "never" }],
    ["a success between them begins anew", {
      ...pausing(api),
      created: "05:30",
      last: "09:00",
      now: "10:00",
      jobs: [failed("06:00"), failed("07:00"), succeeded("08:00"), failed("09:00")],
    }, { start: "10:00" }],
    ["ends count, not starts", {
      ...pausing(api),
      created: "05:30",
      last: "09:00",
      now: "10:00",
      jobs: [succeeded("06:00", { ended: "09:30" }), failed("07:00"), failed("08:00"), failed("09:00")],
    }, { start: "10:00" }],
    ["failures that are recorded count, though their Jobs are gone", {
      ...pausing(api, counted(api, 2, "08:00", "07:00")),
      created: "05:30",
      last: "09:00",
      now: "10:00",
      jobs: [failed("09:00")],
    }, { events: ["PausedAfterFailures"], requeue: "never" }],
    ["none counts twice", {
      ...pausing(api, counted(api, 2, "09:00", "08:00")),
      created: "05:30",
      last: "09:00",
      now: "10:00",
      jobs: [failed("08:00"), failed("09:00")],
    }, { start: "10:00" }],
    ["it stays paused when the Jobs are gone", {
      ...pausing(api, paused),
      created: "05:30",
      last: "09:00",
      now: "10:00",
    }, { events: ["PausedAfterFailures"], requeue: "never" }],
    ["a success by hand ends the pause", {
      ...pausing(api, paused),
      created: "05:30",
      last: "09:00",
      now: "10:00",
      jobs: [failed("09:00"), {
        name: "report-m1",
        state: "succeeded",
        created: "09:30",
        annotations: { "cronjob-controller.dev/trigger": "1" },
      }],
    }, { start: "10:00" }],
    ["a failure by hand does not", {
      ...pausing(api, paused),
      created: "05:30",
      last: "09:00",
      now: "10:00",
      jobs: [{
        name: "report-m1",
        state: "failed",
        created: "09:30",
        annotations: { "cronjob-controller.dev/trigger": "1" },
      }],
    }, { events: ["PausedAfterFailures"], requeue: "never" }],
    ["what it was paused with has changed: it goes on, and counts from zero", {
      ...pausing(api, { ...paused, pausedWith: "something else" }),
      created: "05:30",
      last: "09:00",
      now: "10:00",
      jobs: [failed("09:00")],
    }, { start: "10:00" }],
    ["without a limit nothing pauses it", {
      created: "06:30",
      last: "09:00",
      now: "10:00",
      jobs: [failed("07:00"), failed("08:00"), failed("09:00")],
    }, { start: "10:00" }],
  ];
};

for (const api of FLAVOURS) {
  tableOf(`countFailures() pauses after failures in a row (${api.controllerName})`, rows(api), (given, then) => {
    const input = world(api, given);
    const record = countFailures(input, input.jobs);
    assertEquals(record?.pausedSince !== undefined, then.requeue === "never", JSON.stringify(record));
  });
}

table("decide() pauses after failures in a row, and says so", TUTORIAL, [
  ["in condition and status", {
    ...pausing(TUTORIAL),
    created: "06:30",
    last: "09:00",
    now: "09:10",
    jobs: [failed("07:00"), failed("08:00"), failed("09:00", { listed: true })],
  }, {
    events: ["SawCompletedJob", "PausedAfterFailures"],
    requeue: "never",
    conditions: {
      Ready: "PausedAfterFailures",
      ScheduleValid: "Valid",
      Overdue: "!OnSchedule",
      Failing: "JobFailed",
      RanAhead: "!OnTime",
    },
    status: {
      lastFailureTime: "09:01",
      counts: { failed: 3, consecutiveFailures: 3 },
      failuresInARow: "3: 09:00 08:00 07:00, paused since 09:10",
      active: [],
    },
  }],
]);

const PAUSED = { type: "Ready", status: "True", message: "", lastTransitionTime: "2026-03-10T09:01:00Z" } as const;

for (const api of FLAVOURS) {
  const { status, ...before } = pausing(api, {
    ...counted(api, 3, "09:00", "08:00", "07:00"),
    pausedSince: "2026-03-10T09:01:00Z",
    pausedWith: "something else",
  });
  const conditions = [{ ...PAUSED, reason: "PausedAfterFailures" }];
  const given = { ...before, status: status && { ...status, conditions }, created: "06:30", last: "09:00" };
  table(`decide() goes on after a pause for failures (${api.controllerName})`, api, [
    ["however much it passed over", {
      ...given,
      schedule: "*/2 * * * *",
      now: "14:00",
    }, {
      start: "14:00",
      status: { failuresInARow: "0: 09:00 08:00 07:00, resumed at 14:00", passedOver: ["09:00-14:00"] },
      requeue: "14:02",
    }],
    ["with nothing from before that is not wanted", {
      ...given,
      spec: { ...before.spec, ...(api.extrasIn === "spec" && { onResume: "None" }) },
      annotations: { ...before.annotations, "cronjob-controller.dev/on-resume": "None" },
      now: "14:00:30",
    }, { status: { failuresInARow: "0: 09:00 08:00 07:00, resumed at 14:00:30" }, requeue: "15:00" }],
  ]);
}

test("countFailures() counts what was not counted, once, and nothing from before a success that is recorded", () => {
  const count = (given: Partial<Given>) => {
    const input = world(BATCH, { now: "10:00", ...pausing(BATCH), ...given });
    return countFailures(input, input.jobs)?.count;
  };
  const jobs = [failed("07:00"), failed("08:00"), failed("09:00")];
  assertEquals(count({ jobs }), 3);
  // A failure in the very second of the success counts as before it.
  assertEquals(count({ jobs, status: { lastSuccessfulTime: "2026-03-10T08:01:00Z" } }), 1);
  assertEquals(count({ jobs, ...pausing(BATCH, counted(BATCH, 2, "08:00", "07:00")) }), 3);
  // Made again under the name of one that was counted.
  assertEquals(
    count({ jobs: [failed("08:00", { ended: "09:30" })], ...pausing(BATCH, counted(BATCH, 2, "08:00")) }),
    3,
  );
  // What ended before all that are recorded was counted, what ended after the first of them was not.
  const recorded = Array.from({ length: 20 }, (_, i) => ({ endTime: `2026-03-10T08:${59 - i}:00Z`, jobName: `j${i}` }));
  const beside = (ended: string) =>
    count({ jobs: [failed("08:00", { ended })], ...pausing(BATCH, { count: 2, counted: recorded }) });
  assertEquals([beside("08:39:59"), beside("08:40:01")], [2, 3]);
  // Counted by a clock that was ahead.
  const ahead = Array.from({ length: 20 }, (_, i) => ({
    endTime: `2026-03-10T11:${String(59 - i)}:00Z`,
    jobName: `j${i}`,
  }));
  assertEquals(count({ jobs: [succeeded("09:00")], ...pausing(BATCH, { count: 2, counted: ahead }) }), 0);
});

test("A record that is none counts as absent", () => {
  for (
    const text of ["", "null", "5", "[]", '{"count":1,"counted":[null]}', '{"count":1,"counted":5}', '{"count":"1"}']
  ) {
    const annotations = { ...pausing(BATCH).annotations, "cronjob-controller.dev/failures-in-a-row": text };
    const input = world(BATCH, { now: "10:00", last: "09:00", annotations });
    assertEquals(countFailures(input, [])?.pausedSince, undefined, text);
  }
});
