import { BATCH, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { CronJobStatus } from "../../src/cronjob/api/types.ts";
import { table } from "./support/table.ts";

const done = { time: "09:00", state: "succeeded" } as const;
const failed = { time: "09:00", state: "failed" } as const;
const running = { time: "09:00" } as const;

const counts = { succeeded: 0, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 };

function seen(text: string, since: string, more: Partial<CronJobStatus> = {}): Partial<CronJobStatus> {
  return { schedule: { text, since: `2026-${since}:00Z` }, observedGeneration: 1, counts, ...more };
}

function ready(status: "True" | "False", reason: string) {
  return [{ type: "Ready", status, reason, message: "", lastTransitionTime: "2026-03-10T08:30:00Z" }];
}

const hourly = "0 * * * *";

const edited = { last: "09:00", now: "09:41", generation: 2, status: seen(hourly, "03-10T08:30") };
const missed101 = { created: "03-01 00:30", last: "03-06 03:00", now: "08:10" };
const halted = { ...missed101, generation: 2, status: seen(hourly, "03-01T00:30") };
const behind = { created: "05:30", last: "06:00", now: "09:10" };
const farBehind = { created: "02:30", last: "03:00", now: "09:10" };
const isRunning = { last: "09:00", now: "10:00", jobs: [running] };
const hasRun = { last: "09:00", now: "09:05", status: seen(hourly, "03-10T08:30") };
const wasDown = { created: "04:30", last: "05:00", now: "09:05", status: seen(hourly, "03-10T04:30") };

table("decide() in the tutorial's flavour", TUTORIAL, [
  ["seconds count: starts each run of every five seconds", {
    schedule: "@every 5s",
    created: "08:59:57",
    now: "09:00:02",
  }, {
    start: "09:00:02",
    requeue: "09:00:07",
  }],
  ["two runs in one minute have two Jobs", {
    schedule: "@every 5s",
    last: "09:00:02",
    now: "09:00:07",
    jobs: [{ ...done, time: "09:00:02" }],
    status: seen("@every 5s", "03-10T08:30"),
  }, {
    start: "09:00:07",
    events: ["SawCompletedJob"],
    requeue: "09:00:12",
    status: { counts: { succeeded: 1 }, lastSuccessfulTime: "09:01:02" },
  }],
  ["a new object gets a status that says all", { now: "08:45" }, {
    status: {
      schedule: "0 * * * * since 08:30",
      nextScheduleTime: "09:00",
      counts: {},
      recentRuns: [],
      observedGeneration: 1,
      lastScheduleTime: undefined,
    },
    conditions: { Ready: "Scheduled", ScheduleValid: "Valid", Overdue: "!OnSchedule", Failing: "!NoFailure" },
    requeue: "09:00",
  }],
  ["a started run stands in the status", { now: "09:00:01", jobs: [{ ...running, listed: false }] }, {
    status: {
      active: ["09:00"],
      lastScheduleTime: "09:00",
      nextScheduleTime: "10:00",
      recentRuns: ["09:00 Running"],
    },
    requeue: "10:00",
  }],
  ["an unexpected Job is reported and listed, as the tutorial lists all children", {
    now: "08:45",
    jobs: [{ name: "odd", listed: false, created: "08:40" }],
  }, { events: ["UnexpectedJob"], status: { active: ["odd"], recentRuns: ["Manual odd Running"] }, requeue: "09:00" }],
]);

table("decide() stops at more than 100 missed runs without a deadline", TUTORIAL, [
  ["a hundred: starts the latest", { created: "03-01 00:30", last: "03-06 04:00", now: "08:10" }, {
    start: "08:00",
    requeue: "09:00",
    status: { counts: { missed: 99 }, passedOver: ["03-06 04:00-08:00"] },
  }],
  ["101: stops, visibly", { ...missed101, status: seen(hourly, "03-01T00:30") }, {
    events: ["TooManyMissedTimes"],
    requeue: "never",
    status: { nextScheduleTime: undefined, counts: {} },
    conditions: { Ready: "!TooManyMissedTimes", Overdue: "TooManyMissedTimes", ScheduleValid: "Valid" },
  }],
  ["with a deadline: starts the latest", { ...missed101, spec: { startingDeadlineSeconds: 1000 } }, {
    start: "08:00",
    requeue: "09:00",
    status: { counts: { missed: 100 }, passedOver: ["03-06 03:00-08:00"] },
  }],
  ["after a change of the spec: goes on from there", { ...halted, written: [{ at: "08:05", fields: ["suspend"] }] }, {
    requeue: "09:00",
    status: { schedule: "0 * * * * since 08:05", observedGeneration: 2, lastScheduleTime: "03-06 03:00" },
    conditions: { Ready: "Scheduled" },
  }],
  ["if a run came due after the change: starts it", { ...halted, written: [{ at: "07:05", fields: ["suspend"] }] }, {
    start: "08:00",
    requeue: "09:00",
    status: { counts: { missed: 100 }, passedOver: ["03-06 03:00-08:00"] },
  }],
  ["a change that is itself long ago stops again", {
    created: "03-01 00:30",
    last: "03-02 03:00",
    now: "08:10",
    generation: 2,
    status: seen(hourly, "03-01T00:30"),
    written: [{ at: "03-02 04:00", fields: ["suspend"] }],
  }, {
    events: ["TooManyMissedTimes"],
    requeue: "never",
    status: { schedule: "0 * * * * since 03-02 04:00" },
    conditions: { Ready: "!TooManyMissedTimes", Overdue: "TooManyMissedTimes" },
  }],
  ["resumed after a long rest: goes on from the resumption", {
    created: "03-01 00:30",
    last: "03-02 03:00",
    now: "08:10",
    generation: 3,
    spec: { suspend: false },
    status: seen(hourly, "03-01T00:30", { observedGeneration: 2, conditions: ready("True", "Suspended") }),
    written: [{ at: "08:09", fields: ["suspend"] }],
  }, {
    requeue: "09:00",
    conditions: { Ready: "Scheduled" },
    status: { schedule: "0 * * * * since 08:09" },
  }],
  ["with catchUp All nothing is too much", { ...missed101, spec: { catchUp: { policy: "All", maxParallel: 200 } } }, {
    start: "03-06 04:00",
    requeue: "09:00",
    isCatchUp: true,
    status: { waiting: ["03-06 04:00-08:00:01"] },
  }],
  ["runs of a long pause are not missed", {
    created: "03-01 00:30",
    last: "03-02 03:00",
    now: "08:10",
    spec: { pause: { until: "2026-03-10T07:30:00Z" } },
    status: seen(hourly, "03-01T00:30", { conditions: ready("True", "Paused") }),
  }, { start: "08:00", requeue: "09:00", status: { passedOver: ["03-02 03:00-08:00"] } }],
  ["runs that the policy refused are not missed", {
    created: "03-01 00:30",
    last: "03-05 00:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ time: "03-05 00:00", state: "succeeded", listed: true }],
    status: seen(hourly, "03-01T00:30", {
      recentRuns: [{ scheduledTime: "2026-03-10T09:00:00Z", trigger: "Schedule", outcome: "Skipped" }],
    }),
  }, {
    start: "10:00",
    events: ["SawCompletedJob"],
    requeue: "11:00",
    status: {
      active: ["10:00"],
      counts: { succeeded: 1 },
      lastSuccessfulTime: "03-05 00:01",
      passedOver: ["03-05 00:00-10:00"],
    },
  }],
]);

table("decide() never starts a run from before an edit of the schedule", TUTORIAL, [
  ["edited at nine forty to a quarter past: waits for the next quarter", {
    ...edited,
    schedule: "15 * * * *",
    written: [{ at: "09:40", fields: ["schedule"] }],
  }, { requeue: "10:15", status: { schedule: "15 * * * * since 09:40" } }],
  ["a run that came due between the edit and now starts", {
    ...edited,
    schedule: "15 * * * *",
    written: [{ at: "09:10", fields: ["schedule"] }],
  }, { start: "09:15", requeue: "10:15", status: { schedule: "15 * * * * since 09:15" } }],
  ["an edit of the zone is an edit", {
    ...edited,
    spec: { timeZone: "Asia/Kolkata" },
    written: [{ at: "09:40", fields: ["timeZone"] }],
  }, { requeue: "10:30", status: { schedule: "0 * * * * Asia/Kolkata since 09:40" } }],
  ["without a record of writes the edit is now", { ...edited, schedule: "15 * * * *" }, {
    requeue: "10:15",
    status: { schedule: "15 * * * * since 09:41" },
  }],
  ["a clock ahead of ours edits no later than now", {
    ...edited,
    schedule: "15 * * * *",
    written: [{ at: "11:00", fields: ["schedule"] }],
  }, { requeue: "10:15", status: { schedule: "15 * * * * since 09:41" } }],
  ["a write older than what was seen is no edit of it", {
    ...edited,
    schedule: "15 * * * *",
    written: [{ at: "08:30", fields: ["schedule"] }],
  }, { start: "09:15", requeue: "10:15", status: { schedule: "15 * * * * since 09:15" } }],
  ["@every counts from the edit", {
    schedule: "@every 10m",
    last: "09:00",
    now: "09:41",
    generation: 2,
    status: seen("@every 1h", "03-10T08:30"),
    written: [{ at: "09:38", fields: ["schedule"] }],
  }, { requeue: "09:48", status: { schedule: "@every 10m since 09:38" } }],
  ["any other edit changes nothing", {
    last: "08:00",
    created: "07:30",
    now: "09:41",
    generation: 2,
    status: seen(hourly, "03-10T07:30"),
    written: [{ at: "09:40", fields: ["jobTemplate"] }],
  }, { start: "09:00", requeue: "10:00" }],
  ["edited before any status was written: starts nothing from before", {
    schedule: "15 * * * *",
    now: "09:41",
    generation: 2,
    written: [{ at: "09:40", fields: ["schedule"] }],
  }, { requeue: "10:15", status: { schedule: "15 * * * * since 09:40" } }],
  ["written by another client before any status was: starts what has come due since the creation", {
    now: "09:41",
    generation: 2,
    written: [{ at: "08:30", fields: ["schedule"] }, { at: "09:40", fields: ["suspend"] }],
  }, { start: "09:00", status: { schedule: "0 * * * * since 08:30" }, requeue: "10:00" }],
  ["never edited: starts what has come due since the creation", {
    now: "09:41",
    written: [{ at: "09:40", fields: ["schedule"] }],
  }, { start: "09:00", status: { schedule: "0 * * * * since 08:30" }, requeue: "10:00" }],
  ["edited while suspended, resumed later: starts the latest since the edit", {
    schedule: "15 * * * *",
    last: "08:00",
    created: "07:30",
    now: "11:20",
    generation: 3,
    status: seen("15 * * * *", "03-10T09:40", { conditions: ready("True", "Suspended") }),
  }, { start: "11:15", requeue: "12:15", status: { passedOver: ["08:00-11:15"] } }],
]);

table("decide() drops what came due during a rest, with onResume None", TUTORIAL, [
  ["resumed: starts nothing from before", {
    last: "06:00",
    created: "05:30",
    now: "09:41",
    generation: 3,
    spec: { onResume: "None" },
    status: seen(hourly, "03-10T05:30", { observedGeneration: 2, conditions: ready("True", "Suspended") }),
    written: [{ at: "09:40", fields: ["suspend"] }],
  }, { requeue: "10:00", status: { schedule: "0 * * * * since 09:40" } }],
  ["resumed by leaving the field out: the same", {
    last: "06:00",
    created: "05:30",
    now: "09:41",
    generation: 3,
    spec: { onResume: "None" },
    status: seen(hourly, "03-10T05:30", { observedGeneration: 2, conditions: ready("True", "Suspended") }),
    written: [{ at: "09:40", fields: ["schedule"] }],
  }, { requeue: "10:00", status: { schedule: "0 * * * * since 09:40" } }],
  ["a pause that ended by itself: the same", {
    last: "06:00",
    created: "05:30",
    now: "09:41",
    spec: { onResume: "None", pause: { until: "2026-03-10T09:30:00Z" } },
    status: seen(hourly, "03-10T05:30"),
  }, { requeue: "10:00" }],
  ["never rested: an outage is caught up as ever", {
    last: "06:00",
    created: "05:30",
    now: "09:41",
    spec: { onResume: "None" },
    status: seen(hourly, "03-10T05:30", { conditions: ready("True", "Scheduled") }),
  }, { start: "09:00", requeue: "10:00", status: { counts: { missed: 2 }, passedOver: ["06:00-09:00"] } }],
]);

const EDITED = {
  schedule: "15 * * * *",
  created: "05:30",
  last: "06:00",
  now: "09:41",
  written: [{ at: "09:40", fields: ["schedule"] }],
};

table("decide() drops what came due before an edit of a batch/v1 CronJob, with on-edit None alone", BATCH, [
  ["None", { ...EDITED, annotations: { "cronjob-controller.dev/on-edit": "None" } }, { requeue: "10:15" }],
  ["else the latest starts", EDITED, { start: "09:15", requeue: "10:15", status: { passedOver: ["06:00-09:15"] } }],
]);

table("decide() catches up as asked", TUTORIAL, [
  ["All: the oldest first, and the others wait", {
    ...behind,
    spec: { catchUp: { policy: "All" } },
  }, {
    start: "07:00",
    events: ["JobAlreadyActive"],
    requeue: "10:00",
    status: {
      passedOver: ["06:00-07:00"],
      waiting: ["07:00-09:00:01"],
      recentRuns: ["08:00 Waiting JobAlreadyActive", "07:00 Running"],
    },
    conditions: { Overdue: "JobAlreadyActive" },
    isCatchUp: true,
  }],
  ["All: then the next waits", {
    ...behind,
    spec: { catchUp: { policy: "All" } },
    jobs: [{ time: "07:00", listed: false }],
  }, {
    events: ["JobAlreadyActive"],
    requeue: "10:00",
    status: {
      lastScheduleTime: "07:00",
      active: ["07:00"],
      counts: {},
      recentRuns: ["08:00 Waiting JobAlreadyActive", "07:00 Running"],
      passedOver: ["06:00-07:00"],
      waiting: ["07:00-09:00:01"],
    },
    conditions: { Overdue: "JobAlreadyActive" },
  }],
  ["All: the newest so many", {
    ...farBehind,
    spec: { catchUp: { policy: "All", maxRuns: 3, maxParallel: 3 } },
    jobs: [{ time: "07:00", listed: false }, { time: "08:00", listed: false }],
  }, {
    start: "09:00",
    requeue: "10:00",
    status: { active: ["07:00", "08:00", "09:00"], counts: { missed: 3 }, passedOver: ["03:00-07:00"] },
  }],
  ["All: none past the deadline", {
    ...farBehind,
    spec: { catchUp: { policy: "All" }, startingDeadlineSeconds: 600 },
  }, { start: "09:00", requeue: "10:00", status: { counts: { missed: 5 }, passedOver: ["03:00-09:00"] } }],
  ["All: caught up", { last: "09:00", now: "09:10", spec: { catchUp: { policy: "All" } } }, { requeue: "10:00" }],
  [
    "Latest with a window is like a deadline",
    { ...behind, spec: { catchUp: { policy: "Latest", windowSeconds: 60 } } },
    {
      events: ["MissSchedule"],
      requeue: "10:00",
      status: { counts: { missed: 3 }, recentRuns: ["09:00 Missed MissSchedule"] },
      conditions: { Overdue: "MissSchedule" },
    },
  ],
  ["None: on time it starts", { now: "09:00:30", spec: { catchUp: { policy: "None" } } }, {
    start: "09:00",
    requeue: "10:00",
  }],
  ["None: late it does not", { now: "09:01:01", spec: { catchUp: { policy: "None" } } }, {
    events: ["MissSchedule"],
    requeue: "10:00",
    status: { counts: { missed: 1 }, recentRuns: ["09:00 Missed MissSchedule"] },
    conditions: { Overdue: "MissSchedule" },
  }],
  ["None: what counts as late can be said", {
    now: "09:01:01",
    spec: { catchUp: { policy: "None", windowSeconds: 120 } },
  }, { start: "09:00", requeue: "10:00" }],
]);

table("decide() limits runs beyond Kubernetes' three policies", TUTORIAL, [
  ["Queue: starts when nothing is active", { now: "09:00", spec: { concurrencyPolicy: "Queue" } }, {
    start: "09:00",
    requeue: "10:00",
  }],
  ["Queue: waits for the active one", { ...isRunning, spec: { concurrencyPolicy: "Queue" } }, {
    events: ["JobQueued"],
    status: {
      queuedScheduleTime: "10:00",
      counts: {},
      recentRuns: ["10:00 Waiting JobQueued", "09:00 Running"],
    },
    conditions: { Overdue: "JobQueued" },
    requeue: "11:00",
  }],
  ["Queue: starts when it has ended, however late", {
    last: "09:00",
    now: "10:50",
    spec: { concurrencyPolicy: "Queue", startingDeadlineSeconds: 60 },
    jobs: [{ ...done, ended: "10:50", listed: true }],
    status: { queuedScheduleTime: "2026-03-10T10:00:00Z" },
  }, {
    start: "10:00",
    events: ["SawCompletedJob"],
    requeue: "11:00",
    status: { active: ["10:00"], lastSuccessfulTime: "10:50", counts: { succeeded: 1 }, queuedScheduleTime: undefined },
  }],
  ["Queue: a newer run takes the place of the one that waits", {
    last: "09:00",
    now: "11:00",
    spec: { concurrencyPolicy: "Queue" },
    jobs: [running],
    status: seen(hourly, "03-10T08:30", { queuedScheduleTime: "2026-03-10T10:00:00Z" }),
  }, {
    events: ["JobQueued"],
    status: {
      queuedScheduleTime: "11:00",
      counts: { skipped: 1 },
      recentRuns: ["11:00 Waiting JobQueued", "10:00 Skipped Superseded", "09:00 Running"],
    },
    requeue: "12:00",
    conditions: { Overdue: "JobQueued" },
  }],
  ["Queue: one that waits has lost its place to a newer run that started before anything was recorded", {
    last: "09:00",
    now: "11:00",
    spec: { concurrencyPolicy: "Queue" },
    jobs: [{ time: "11:00" }],
    status: seen(hourly, "03-10T08:30", { queuedScheduleTime: "2026-03-10T10:00:00Z" }),
  }, {
    requeue: "12:00",
    status: {
      lastScheduleTime: "11:00",
      queuedScheduleTime: undefined,
      counts: { skipped: 1 },
      recentRuns: ["11:00 Running", "10:00 Skipped Superseded"],
      passedOver: ["09:00-11:00"],
    },
  }],
  ["Queue: an edit of the schedule clears it", {
    schedule: "15 * * * *",
    last: "09:00",
    now: "10:10",
    generation: 2,
    spec: { concurrencyPolicy: "Queue" },
    status: seen(hourly, "03-10T08:30", { queuedScheduleTime: "2026-03-10T10:00:00Z" }),
    written: [{ at: "10:05", fields: ["schedule"] }],
  }, { requeue: "10:15", status: { queuedScheduleTime: undefined, schedule: "15 * * * * since 10:05" } }],
  ["Queue of two: the second starts beside", {
    ...isRunning,
    spec: { concurrencyPolicy: "Queue", maxConcurrentRuns: 2 },
  }, { start: "10:00", requeue: "11:00" }],
  ["Allow, at most two: the third waits", {
    last: "09:00",
    created: "07:30",
    now: "10:00",
    spec: { maxConcurrentRuns: 2 },
    jobs: [running, { time: "08:00" }],
  }, {
    events: ["JobAlreadyActive"],
    requeue: "11:00",
    status: {
      counts: {},
      recentRuns: ["10:00 Waiting JobAlreadyActive", "09:00 Running", "08:00 Running"],
    },
    conditions: { Overdue: "JobAlreadyActive" },
  }],
  ["Forbid from two on", { ...isRunning, spec: { concurrencyPolicy: "Forbid", maxConcurrentRuns: 2 } }, {
    start: "10:00",
    requeue: "11:00",
  }],
  ["Replace, at most two: replaces the oldest", {
    last: "09:00",
    created: "07:30",
    now: "10:00",
    spec: { concurrencyPolicy: "Replace", maxConcurrentRuns: 2 },
    jobs: [running, { time: "08:00" }],
  }, { start: "10:00", replaces: ["08:00"], requeue: "11:00" }],
]);

table("decide() says in the status what became of runs", TUTORIAL, [
  ["a success", { ...hasRun, jobs: [{ ...done, listed: true }] }, {
    events: ["SawCompletedJob"],
    status: { counts: { succeeded: 1 }, recentRuns: ["09:00 Succeeded"], lastSuccessfulTime: "09:01", active: [] },
    requeue: "10:00",
  }],
  ["a failure", { ...hasRun, jobs: [{ ...failed, listed: true }] }, {
    events: ["SawCompletedJob"],
    status: {
      counts: { failed: 1, consecutiveFailures: 1 },
      recentRuns: ["09:00 Failed BackoffLimitExceeded"],
      lastFailureTime: "09:01",
      active: [],
    },
    conditions: { Failing: "JobFailed" },
    requeue: "10:00",
  }],
  ["a success ends a row of failures", {
    last: "09:00",
    now: "09:05",
    jobs: [{ ...done, listed: true }],
    status: seen(hourly, "03-10T08:30", { counts: { ...counts, failed: 4, consecutiveFailures: 4 } }),
  }, {
    events: ["SawCompletedJob"],
    status: { counts: { succeeded: 1, failed: 4 }, lastSuccessfulTime: "09:01", active: [] },
    conditions: { Failing: "!NoFailure" },
    requeue: "10:00",
  }],
  ["each end counts once", {
    last: "09:00",
    now: "09:05",
    jobs: [done],
    status: seen(hourly, "03-10T08:30", {
      counts: { ...counts, succeeded: 1 },
      recentRuns: [{
        scheduledTime: "2026-03-10T09:00:00Z",
        trigger: "Schedule",
        outcome: "Succeeded",
        jobName: `report-${Date.parse("2026-03-10T09:00Z") / 1000}`,
      }],
    }),
  }, { status: { counts: { succeeded: 1 }, lastSuccessfulTime: "09:01" }, requeue: "10:00" }],
  ["a run that waits", { ...isRunning, spec: { concurrencyPolicy: "Forbid" }, status: seen(hourly, "03-10T08:30") }, {
    events: ["JobAlreadyActive"],
    status: { counts: {}, recentRuns: ["10:00 Waiting JobAlreadyActive", "09:00 Running"] },
    conditions: { Overdue: "JobAlreadyActive" },
    requeue: "11:00",
  }],
  ["a skip that starts late after all is none", {
    last: "10:00",
    now: "10:20",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ time: "10:00", listed: false }],
    status: seen(hourly, "03-10T08:30", {
      counts: { ...counts, skipped: 1 },
      recentRuns: [{ scheduledTime: "2026-03-10T10:00:00Z", trigger: "Schedule", outcome: "Skipped" }],
    }),
  }, { status: { counts: {}, recentRuns: ["10:00 Running"], active: ["10:00"] }, requeue: "11:00" }],
  ["a miss", { now: "09:05", spec: { startingDeadlineSeconds: 60 }, status: seen(hourly, "03-10T08:30") }, {
    events: ["MissSchedule"],
    status: { counts: { missed: 1 }, recentRuns: ["09:00 Missed MissSchedule"] },
    conditions: { Overdue: "MissSchedule" },
    requeue: "10:00",
  }],
  ["all that an outage cost", { ...wasDown, spec: { startingDeadlineSeconds: 60 } }, {
    events: ["MissSchedule"],
    status: { counts: { missed: 4 }, recentRuns: ["09:00 Missed MissSchedule"] },
    requeue: "10:00",
    conditions: { Overdue: "MissSchedule" },
  }],
  ["the latest was started after it: the others are missed", { ...wasDown, jobs: [{ ...running, listed: false }] }, {
    status: { counts: { missed: 3 }, lastScheduleTime: "09:00", active: ["09:00"], passedOver: ["05:00-09:00"] },
    requeue: "10:00",
  }],
  ["a run that was passed over, and that a former leader's late request started after all, is none", {
    last: "09:00",
    created: "04:30",
    now: "09:05",
    jobs: [{ ...running }, { time: "07:00", listed: false }],
    status: seen(hourly, "03-10T04:30", {
      counts: { ...counts, missed: 3 },
      recentRuns: [{ scheduledTime: "2026-03-10T09:00:00Z", trigger: "Schedule", outcome: "Running" }],
      passedOver: [{ after: "2026-03-10T05:00:00Z", before: "2026-03-10T09:00:00Z" }],
    }),
  }, {
    status: {
      counts: { missed: 2 },
      active: ["09:00", "07:00"],
      recentRuns: ["09:00 Running", "07:00 Running"],
      passedOver: ["05:00-07:00", "07:00-09:00"],
    },
    requeue: "10:00",
  }],
  ["the same, after a later time was missed and nothing has started since", {
    last: "05:00",
    created: "04:30",
    now: "08:05",
    spec: { startingDeadlineSeconds: 60 },
    jobs: [{ time: "06:00", listed: false }],
    status: seen(hourly, "03-10T04:30", {
      counts: { ...counts, missed: 3 },
      recentRuns: [{ scheduledTime: "2026-03-10T08:00:00Z", trigger: "Schedule", outcome: "Missed" }],
    }),
  }, {
    status: {
      counts: { missed: 2 },
      lastScheduleTime: "06:00",
      active: ["06:00"],
      recentRuns: ["08:00 Missed", "06:00 Running"],
    },
    conditions: { Overdue: "MissSchedule" },
    requeue: "09:00",
  }],
  ["the same, where nothing had ever started", {
    created: "04:30",
    now: "08:05",
    spec: { startingDeadlineSeconds: 60 },
    jobs: [{ time: "06:00", listed: false }],
    status: seen(hourly, "03-10T04:30", {
      counts: { ...counts, missed: 4 },
      recentRuns: [{ scheduledTime: "2026-03-10T08:00:00Z", trigger: "Schedule", outcome: "Missed" }],
    }),
  }, {
    status: {
      counts: { missed: 3 },
      lastScheduleTime: "06:00",
      passedOver: ["04:29:59-06:00"],
      active: ["06:00"],
      recentRuns: ["08:00 Missed", "06:00 Running"],
    },
    conditions: { Overdue: "MissSchedule" },
    requeue: "09:00",
  }],
  ["suspended before the status told of the last start: what that one passed over counts", {
    schedule: hourly,
    spec: { suspend: true },
    created: "03:30",
    last: "05:00",
    status: seen(hourly, "03-10T03:30"),
    jobs: [{ time: "08:00", state: "succeeded" }],
    now: "09:00:01",
  }, {
    events: ["SawCompletedJob"],
    status: {
      counts: { succeeded: 1, missed: 2 },
      lastScheduleTime: "08:00",
      lastSuccessfulTime: "08:01",
      passedOver: ["05:00-08:00"],
    },
    requeue: "never",
    conditions: { Ready: "Suspended" },
  }],
  ["suspended before, as the status tells: what came due meanwhile does not count", {
    schedule: hourly,
    spec: { suspend: true },
    created: "03:30",
    last: "05:00",
    status: seen(hourly, "03-10T03:30", { conditions: ready("True", "Suspended") }),
    jobs: [{ time: "08:00", state: "succeeded" }],
    now: "09:00:01",
  }, {
    events: ["SawCompletedJob"],
    status: {
      counts: { succeeded: 1 },
      lastScheduleTime: "08:00",
      lastSuccessfulTime: "08:01",
      passedOver: ["05:00-08:00"],
    },
    requeue: "never",
    conditions: { Ready: "Suspended" },
  }],
  ["the latest of an interval was started after it: the others are missed too", {
    last: "05:00",
    created: "04:30",
    now: "09:05",
    schedule: "@every 30m",
    jobs: [{ ...running, listed: false }],
    status: seen("@every 30m", "03-10T04:30"),
  }, {
    status: { counts: { missed: 7 }, lastScheduleTime: "09:00", active: ["09:00"], passedOver: ["05:00-09:00"] },
    requeue: "09:30",
  }],
  ["what came due while it was suspended is not missed", {
    last: "05:00",
    created: "04:30",
    now: "09:05",
    generation: 2,
    jobs: [{ ...running, listed: false }],
    status: seen(hourly, "03-10T04:30", { conditions: ready("True", "Suspended") }),
  }, {
    status: { counts: {}, lastScheduleTime: "09:00", active: ["09:00"], passedOver: ["05:00-09:00"] },
    conditions: { Ready: "Scheduled" },
    requeue: "10:00",
  }],
  ["a Job that was replaced", {
    last: "10:00",
    now: "10:00:01",
    spec: { concurrencyPolicy: "Replace" },
    jobs: [{ time: "10:00", listed: false }],
    lost: `report-${Date.parse("2026-03-10T09:00Z") / 1000}`,
    deleted: [`uid of report-${Date.parse("2026-03-10T09:00Z") / 1000}`],
    status: seen(hourly, "03-10T08:30", {
      recentRuns: [{
        scheduledTime: "2026-03-10T09:00:00Z",
        trigger: "Schedule",
        outcome: "Running",
        jobName: `report-${Date.parse("2026-03-10T09:00Z") / 1000}`,
      }],
    }),
  }, { status: { recentRuns: ["10:00 Running", "09:00 Deleted Replaced"], active: ["10:00"] }, requeue: "11:00" }],
  ["a Job that a user deleted", {
    last: "09:00",
    now: "09:05",
    lost: `report-${Date.parse("2026-03-10T09:00Z") / 1000}`,
    status: seen(hourly, "03-10T08:30", {
      recentRuns: [{
        scheduledTime: "2026-03-10T09:00:00Z",
        trigger: "Schedule",
        outcome: "Running",
        jobName: `report-${Date.parse("2026-03-10T09:00Z") / 1000}`,
      }],
    }),
  }, { events: ["MissingJob"], status: { recentRuns: ["09:00 Deleted JobDeleted"], active: [] }, requeue: "10:00" }],
  ["a creation that was refused", {
    now: "09:00:01",
    refusal: { jobName: `report-${Date.parse("2026-03-10T09:00Z") / 1000}`, message: "exceeded quota" },
    status: seen(hourly, "03-10T08:30"),
  }, { requeue: "10:00", conditions: { Overdue: "FailedCreate", Ready: "Scheduled" }, refused: ["09:00"] }],
  ["an unparseable schedule", { schedule: "nope", now: "09:00" }, {
    events: ["UnparseableSchedule"],
    status: { nextScheduleTime: undefined },
    conditions: { Ready: "!UnparseableSchedule", ScheduleValid: "!UnparseableSchedule" },
  }],
  [
    "a suspended object whose schedule is wrong says both",
    { schedule: "nope", now: "09:00", spec: { suspend: true } },
    {
      conditions: { Ready: "Suspended", ScheduleValid: "!UnparseableSchedule" },
    },
  ],
  ["conditions of others stay", {
    now: "08:45",
    status: { conditions: [{ type: "Approved", status: "True", reason: "Ok", message: "", lastTransitionTime: "x" }] },
  }, { conditions: { Approved: "Ok", Ready: "Scheduled" }, requeue: "09:00" }],
]);

table("decide() answers a trigger with one Job", TUTORIAL, [
  ["a new id: starts at once", { now: "08:40", annotations: { "cronjob-controller.dev/trigger": "1" } }, {
    start: "trigger 1",
    requeue: "09:00",
  }],
  ["answered: does not start again", {
    now: "08:40",
    annotations: { "cronjob-controller.dev/trigger": "1" },
    status: { lastTrigger: "1" },
  }, { requeue: "09:00" }],
  ["its Job exists: counts as answered, and is recorded as manual", {
    now: "08:40",
    annotations: { "cronjob-controller.dev/trigger": "1" },
    jobs: [{
      name: "report-m3efm134",
      created: "08:39",
      listed: false,
      annotations: { "cronjob-controller.dev/trigger": "1" },
    }],
  }, {
    status: {
      lastTrigger: "1",
      active: ["report-m3efm134"],
      recentRuns: ["Manual report-m3efm134 Running"],
      lastScheduleTime: undefined,
    },
    requeue: "09:00",
  }],
  ["another id: starts another", {
    now: "08:40",
    annotations: { "cronjob-controller.dev/trigger": "2" },
    status: { lastTrigger: "1" },
  }, { start: "trigger 2", requeue: "09:00" }],
  ["Forbid refuses it, visibly", {
    last: "09:00",
    now: "09:40",
    annotations: { "cronjob-controller.dev/trigger": "1" },
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [running],
    status: seen(hourly, "03-10T08:30"),
  }, {
    events: ["JobAlreadyActive"],
    status: {
      lastTrigger: "1",
      counts: { skipped: 1 },
      recentRuns: ["Manual Skipped JobAlreadyActive", "09:00 Running"],
    },
    requeue: "10:00",
  }],
  ["Queue lets it wait", {
    last: "09:00",
    now: "09:40",
    annotations: { "cronjob-controller.dev/trigger": "1" },
    spec: { concurrencyPolicy: "Queue" },
    jobs: [running],
  }, { status: { lastTrigger: undefined }, requeue: "10:00" }],
  ["Replace replaces for it", {
    last: "09:00",
    now: "09:40",
    annotations: { "cronjob-controller.dev/trigger": "1" },
    spec: { concurrencyPolicy: "Replace" },
    jobs: [running],
  }, { start: "trigger 1", replaces: ["09:00"], requeue: "10:00" }],
  ["a suspended CronJob can be run by hand", {
    now: "08:40",
    annotations: { "cronjob-controller.dev/trigger": "1" },
    spec: { suspend: true },
  }, { start: "trigger 1", conditions: { Ready: "Suspended" } }],
  ["a scheduled run goes first", { now: "09:00", annotations: { "cronjob-controller.dev/trigger": "1" } }, {
    start: "09:00",
    requeue: "10:00",
  }],
  ["an empty id is none", { now: "08:40", annotations: { "cronjob-controller.dev/trigger": "" } }, {
    requeue: "09:00",
  }],
]);

table("decide() pauses, and keeps to start and end", TUTORIAL, [
  ["paused: starts nothing, and says why", { now: "09:00", spec: { pause: { reason: "Audit" } } }, {
    requeue: "never",
    conditions: { Ready: "Paused" },
  }],
  ["until a time: looks again then", { now: "09:00", spec: { pause: { until: "2026-03-10T09:30:00Z" } } }, {
    requeue: "09:30",
    status: { nextScheduleTime: undefined },
    conditions: { Ready: "Paused" },
  }],
  [
    "after it: starts the latest that was missed",
    { now: "09:30", spec: { pause: { until: "2026-03-10T09:30:00Z" } } },
    {
      start: "09:00",
      requeue: "10:00",
    },
  ],
  ["before its start: waits for the first run after", { now: "09:00", spec: { startTime: "2026-03-10T09:30:00Z" } }, {
    requeue: "10:00",
  }],
  ["the start itself is inside", { now: "10:00", spec: { startTime: "2026-03-10T10:00:00Z" } }, {
    start: "10:00",
    requeue: "11:00",
  }],
  ["a run at the end itself comes", { now: "08:45", spec: { endTime: "2026-03-10T09:00:00Z" } }, { requeue: "09:00" }],
  ["the end itself is inside", { now: "09:00", spec: { endTime: "2026-03-10T09:00:00Z" } }, {
    start: "09:00",
    requeue: "09:00",
    status: { nextScheduleTime: undefined },
  }],
  ["without a deadline too", { now: "11:40", spec: { endTime: "2026-03-10T09:30:00Z" } }, {
    start: "09:00",
    conditions: { Ready: "Ended" },
  }],
  ["after the end: nothing more", { last: "09:00", now: "10:00", spec: { endTime: "2026-03-10T09:30:00Z" } }, {
    requeue: "never",
    conditions: { Ready: "Ended" },
  }],
  ["what was due by then starts inside its deadline", {
    now: "09:40",
    spec: { endTime: "2026-03-10T09:30:00Z", startingDeadlineSeconds: 3600 },
  }, { start: "09:00", conditions: { Ready: "Ended" } }],
]);

table("decide() spreads starts by a stable distance", TUTORIAL, [
  ["before its own moment: waits for it", { now: "09:00", uid: "a", spec: { spreadSeconds: 600 } }, {
    requeue: "09:05:15",
    status: { nextScheduleTime: "09:00" },
  }],
  ["at its moment: starts, under the name of the scheduled time", {
    now: "09:05:15",
    uid: "a",
    spec: { spreadSeconds: 600 },
  }, { start: "09:00", requeue: "10:05:15", status: { nextScheduleTime: "10:00" } }],
  ["never beyond the deadline, which counts from the scheduled time", {
    now: "09:00:10",
    uid: "a",
    spec: { spreadSeconds: 600, startingDeadlineSeconds: 1 },
  }, {
    events: ["MissSchedule"],
    requeue: "10:00",
    status: { counts: { missed: 1 }, recentRuns: ["09:00 Missed MissSchedule"] },
    conditions: { Overdue: "MissSchedule" },
  }],
]);

table("decide() refuses names that leave no room for those of Jobs", TUTORIAL, [
  ["52 characters fit", { name: "n".repeat(52), now: "09:00" }, { start: "09:00", requeue: "10:00" }],
  ["53 do not", { name: "n".repeat(53), now: "09:00" }, {
    events: ["NameTooLong"],
    requeue: "never",
    conditions: { Ready: "!NameTooLong" },
  }],
  ["nor for a trigger", {
    name: "n".repeat(53),
    now: "09:00",
    annotations: { "cronjob-controller.dev/trigger": "1" },
  }, { events: ["NameTooLong"], conditions: { Ready: "!NameTooLong" } }],
]);
