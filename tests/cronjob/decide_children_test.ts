import { BATCH, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { table } from "./support/table.ts";

const done = { time: "09:00", state: "succeeded" } as const;
const failed = { time: "09:00", state: "failed" } as const;
const running = { time: "09:00" } as const;

table("decide() obeys the concurrency policy", BATCH, [
  ["Forbid: says so once for each scheduled time", {
    last: "09:00",
    now: "10:20",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [running],
    memory: { decidedUntil: "10:00" },
  }, { requeue: "11:00" }],
  ["Forbid: starts late once the active one has ended", {
    last: "09:00",
    now: "10:20",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ ...done, ended: "10:20", listed: true }],
    memory: { decidedUntil: "10:00" },
  }, {
    start: "10:00",
    events: ["SawCompletedJob"],
    requeue: "11:00",
    status: { active: ["10:00"], lastSuccessfulTime: "10:20" },
  }],
  ["Forbid: too late for that, misses it without a further word", {
    last: "09:00",
    now: "10:20",
    spec: { concurrencyPolicy: "Forbid", startingDeadlineSeconds: 60 },
    jobs: [{ ...done, ended: "10:20", listed: true }],
    memory: { decidedUntil: "10:00" },
  }, { events: ["SawCompletedJob"], requeue: "11:00", status: { lastSuccessfulTime: "10:20", active: [] } }],
  ["Forbid: what was refused before is not counted as missed", {
    created: "03-01 00:30",
    last: "03-05 00:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ ...done, time: "03-05 00:00", listed: true }],
    memory: { decidedUntil: "09:00" },
  }, {
    start: "10:00",
    events: ["SawCompletedJob"],
    requeue: "11:00",
    status: { active: ["10:00"], lastSuccessfulTime: "03-05 00:01", passedOver: ["03-05 00:00-10:00"] },
  }],
  ["Forbid: an active Job that the status does not list counts", {
    last: "09:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ ...running, listed: false }],
  }, { events: ["JobAlreadyActive"], requeue: "11:00", status: { active: ["09:00"] } }],
  ["Forbid: an unexpected Job counts", {
    last: "09:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ name: "adopted", listed: false }],
  }, { events: ["UnexpectedJob", "JobAlreadyActive"], requeue: "11:00" }],
  ["Forbid: a Job that kubectl made counts", {
    last: "09:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ name: "by-hand", annotations: { "cronjob.kubernetes.io/instantiate": "manual" } }],
  }, { events: ["JobAlreadyActive"], requeue: "11:00" }],
  ["Forbid: a Job that is being deleted is there until it is gone", {
    last: "09:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ ...running, deleting: true }],
  }, { events: ["JobAlreadyActive"], requeue: "11:00" }],
  ["Forbid: a Job that is gone does not count", {
    last: "09:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Forbid" },
    lost: "report-1",
  }, { start: "10:00", events: ["MissingJob"], requeue: "11:00", status: { active: ["10:00"] } }],
  ["Forbid: a suspended Job has not finished", {
    last: "09:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ ...running, started: null }],
  }, { events: ["JobAlreadyActive"], requeue: "11:00" }],
  ["Replace: nothing active, nothing to replace", {
    last: "09:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Replace" },
    jobs: [done],
  }, { start: "10:00", replaces: [], requeue: "11:00", status: { lastSuccessfulTime: "09:01" } }],
  ["Replace: deletes all that are active", {
    created: "07:30",
    last: "09:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Replace" },
    jobs: [running, { time: "08:00" }],
  }, { start: "10:00", replaces: ["08:00", "09:00"], requeue: "11:00" }],
  ["Replace: leaves alone what is being deleted", {
    last: "09:00",
    now: "10:00",
    spec: { concurrencyPolicy: "Replace" },
    jobs: [{ ...running, deleting: true }],
  }, { start: "10:00", replaces: [], requeue: "11:00" }],
  ["Replace: what this controller deleted leaves the list without a word", {
    last: "10:00",
    now: "10:00:01",
    spec: { concurrencyPolicy: "Replace" },
    jobs: [{ time: "10:00" }],
    lost: "report-1",
    deleted: ["uid of report-1"],
  }, { status: { active: ["10:00"] }, requeue: "11:00" }],
  ["no policy is Allow", { last: "09:00", now: "10:00", spec: { concurrencyPolicy: undefined }, jobs: [running] }, {
    start: "10:00",
    requeue: "11:00",
  }],
]);

const three = [
  { time: "06:00", state: "succeeded" },
  { time: "07:00", state: "succeeded" },
  { time: "08:00", state: "succeeded" },
] as const;

table("decide() cleans up history", BATCH, [
  ["within the limit: deletes nothing", { last: "08:00", now: "08:30", created: "05:30", jobs: [...three] }, {
    requeue: "09:00",
    status: { lastSuccessfulTime: "08:01" },
  }],
  ["below the limit: deletes nothing", { last: "08:00", now: "08:30", created: "06:30", jobs: three.slice(1) }, {
    requeue: "09:00",
    status: { lastSuccessfulTime: "08:01" },
  }],
  ["one over: deletes the oldest", {
    last: "09:00",
    now: "09:30",
    created: "05:30",
    jobs: [done, ...three],
    spec: { successfulJobsHistoryLimit: 3 },
  }, { deletes: ["06:00"], requeue: "10:00", status: { lastSuccessfulTime: "09:01" } }],
  ["oldest first, by start and not by order of arrival", {
    last: "08:00",
    now: "08:30",
    created: "05:30",
    jobs: [three[2], three[0], three[1]],
    spec: { successfulJobsHistoryLimit: 1 },
  }, { deletes: ["06:00", "07:00"], requeue: "09:00", status: { lastSuccessfulTime: "08:01" } }],
  ["one that never started is the youngest", {
    last: "08:00",
    now: "08:30",
    created: "05:30",
    jobs: [{ ...three[0], started: null }, three[1], three[2]],
    spec: { successfulJobsHistoryLimit: 1 },
  }, { deletes: ["07:00", "08:00"], requeue: "09:00", status: { lastSuccessfulTime: "08:01" } }],
  ["a limit of zero keeps none", {
    last: "08:00",
    now: "08:30",
    created: "05:30",
    jobs: [...three],
    spec: { successfulJobsHistoryLimit: 0 },
  }, {
    deletes: ["06:00", "07:00", "08:00"],
    status: { lastScheduleTime: "08:00", lastSuccessfulTime: "08:01" },
    requeue: "09:00",
  }],
  ["failed ones have a limit of their own", {
    last: "09:00",
    now: "09:30",
    created: "05:30",
    jobs: [failed, { time: "08:00", state: "failed" }, { time: "07:00", state: "succeeded" }],
    spec: { failedJobsHistoryLimit: 1, successfulJobsHistoryLimit: 1 },
  }, { deletes: ["08:00"], requeue: "10:00", status: { lastSuccessfulTime: "07:01" } }],
  ["batch/v1 keeps three and one unless the spec says otherwise", {
    last: "09:00",
    now: "09:30",
    created: "04:30",
    jobs: [{ time: "05:00", state: "succeeded" }, ...three, failed, { time: "04:00", state: "failed" }],
  }, { deletes: ["05:00", "04:00"], requeue: "10:00", status: { lastSuccessfulTime: "08:01" } }],
  [
    "active Jobs don't count",
    { last: "09:00", now: "09:30", jobs: [running], spec: { successfulJobsHistoryLimit: 0 } },
    { requeue: "10:00" },
  ],
  ["what is being deleted is not deleted again", {
    last: "08:00",
    now: "08:30",
    created: "05:30",
    jobs: [{ ...three[0], deleting: true }, three[1], three[2]],
    spec: { successfulJobsHistoryLimit: 2 },
  }, { requeue: "09:00", status: { lastSuccessfulTime: "08:01" } }],
  ["a due run comes first, the plan has both", {
    last: "09:00",
    now: "10:00",
    jobs: [done],
    spec: { successfulJobsHistoryLimit: 0 },
  }, { start: "10:00", deletes: ["09:00"], requeue: "11:00", status: { lastSuccessfulTime: "09:01" } }],
  ["cleans up when creation was refused, lest a quota stays full for ever", {
    last: "09:00",
    now: "10:00",
    jobs: [done],
    spec: { successfulJobsHistoryLimit: 0 },
    refusal: { jobName: `report-${Date.parse("2026-03-10T10:00Z") / 60_000}`, message: "exceeded quota" },
  }, { deletes: ["09:00"], requeue: "11:00", status: { lastSuccessfulTime: "09:01" }, refused: ["10:00"] }],
  ["Jobs that kubectl made count", {
    last: "08:00",
    now: "08:30",
    created: "05:30",
    jobs: [...three, {
      name: "by-hand",
      created: "05:40",
      state: "succeeded",
      annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
    }],
  }, { deletes: ["by-hand"], requeue: "09:00", status: { lastSuccessfulTime: "08:01" } }],
]);

table("decide() keeps all history in the tutorial's flavour unless the spec says otherwise", TUTORIAL, [
  ["no limits: keeps all", { last: "08:00", now: "08:30", created: "05:30", jobs: [...three] }, {
    requeue: "09:00",
    status: { lastSuccessfulTime: "08:01", counts: { succeeded: 3 } },
  }],
  ["lastScheduleTime stays when a limit of zero clears the Jobs", { last: "08:00", now: "08:30", created: "05:30" }, {
    requeue: "09:00",
    status: { lastScheduleTime: "08:00" },
  }],
]);

table("decide() rebuilds the status from the Jobs, and reports what changed", BATCH, [
  ["a Job ended: is reported once, with its condition", {
    last: "09:00",
    now: "09:05",
    jobs: [{ ...done, listed: true }],
  }, {
    events: ["SawCompletedJob"],
    status: { active: [], lastSuccessfulTime: "09:01", lastScheduleTime: "09:00" },
    requeue: "10:00",
  }],
  [
    "a Job failed: is reported, and is no success",
    { last: "09:00", now: "09:05", jobs: [{ ...failed, listed: true }] },
    {
      events: ["SawCompletedJob"],
      status: { active: [], lastSuccessfulTime: undefined },
      requeue: "10:00",
    },
  ],
  ["lastSuccessfulTime never goes back", {
    last: "09:00",
    now: "09:05",
    jobs: [done],
    status: { lastSuccessfulTime: "2026-03-10T09:03:00Z" },
  }, { status: { lastSuccessfulTime: "09:03" }, writes: false, requeue: "10:00" }],
  ["a success that was never listed counts", { last: "09:00", now: "09:05", jobs: [done] }, {
    status: { lastSuccessfulTime: "09:01" },
    writes: true,
    requeue: "10:00",
  }],
  ["nothing changed: nothing is written", {
    last: "09:00",
    now: "09:05",
    jobs: [done],
    status: { lastSuccessfulTime: "2026-03-10T09:01:00Z" },
  }, { writes: false, requeue: "10:00" }],
  ["an active Job stays as it is listed", { last: "09:00", now: "09:05", jobs: [running] }, {
    status: { active: ["09:00"] },
    writes: false,
    requeue: "10:00",
  }],
  [
    "an active Job that is not listed yet comes after those that are",
    { last: "10:00", now: "10:05", jobs: [{ time: "09:00", listed: false }, { time: "10:00" }] },
    { status: { active: ["10:00", "09:00"] }, requeue: "11:00" },
  ],
  ["a listed Job went missing", { last: "09:00", now: "09:05", lost: "report-1" }, {
    events: ["MissingJob"],
    status: { active: [] },
    requeue: "10:00",
  }],
  [
    "an unexpected Job is reported, and not listed",
    { last: "09:00", now: "09:05", jobs: [{ name: "odd", listed: false }] },
    {
      events: ["UnexpectedJob"],
      status: { active: [] },
      writes: false,
      requeue: "10:00",
    },
  ],
  ["an unexpected Job that is done is no matter", {
    last: "09:00",
    now: "09:05",
    jobs: [{ name: "odd", state: "failed", created: "09:01" }],
  }, { requeue: "10:00" }],
  ["a Job that kubectl made is listed without a warning", {
    last: "09:00",
    now: "09:05",
    jobs: [{ name: "by-hand", listed: false, annotations: { "cronjob.kubernetes.io/instantiate": "manual" } }],
  }, { status: { active: ["by-hand"] }, requeue: "10:00", events: ["(StartedByHand)"] }],
  ["its success counts", {
    last: "09:00",
    now: "09:05",
    jobs: [{
      name: "by-hand",
      listed: true,
      state: "succeeded",
      ended: "09:04",
      annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
    }],
  }, {
    events: ["SawCompletedJob"],
    status: { lastSuccessfulTime: "09:04", lastScheduleTime: "09:00", active: [] },
    requeue: "10:00",
  }],
  ["fields of others in the status stay", {
    last: "09:00",
    now: "09:05",
    jobs: [{ ...done, listed: true }],
    status: { fromTheFuture: 1 } as never,
  }, {
    events: ["SawCompletedJob"],
    status: { fromTheFuture: 1, lastSuccessfulTime: "09:01", active: [] },
    requeue: "10:00",
  }],
]);

table("decide() gives a deleted CronJob nothing but status", BATCH, [
  ["it is time: starts nothing", { now: "09:00", deleting: true }, { requeue: "never" }],
  ["cleans up nothing", {
    last: "09:00",
    now: "09:30",
    deleting: true,
    jobs: [done],
    spec: { successfulJobsHistoryLimit: 0 },
  }, { status: { lastSuccessfulTime: "09:01" } }],
  ["reports the end of its Jobs", { last: "09:00", now: "09:30", deleting: true, jobs: [{ ...done, listed: true }] }, {
    events: ["SawCompletedJob"],
    status: { active: [], lastSuccessfulTime: "09:01" },
  }],
  ["reports the loss of its Jobs", { last: "09:00", now: "09:30", deleting: true, lost: "report-1" }, {
    events: ["MissingJob"],
    status: { active: [] },
  }],
  ["a trigger is not answered", {
    now: "08:40",
    deleting: true,
    annotations: { "cronjob-controller.dev/trigger": "1" },
  }, {}],
]);

table("decide() says what is wrong with schedule and zone", BATCH, [
  ["a schedule that can't be read", { schedule: "61 * * * *", now: "09:00" }, {
    events: ["UnparseableSchedule"],
    requeue: "never",
  }],
  ["no schedule", { schedule: "", now: "09:00" }, { events: ["UnparseableSchedule"], requeue: "never" }],
  ["H is no schedule to Kubernetes", { schedule: "H * * * *", now: "09:00" }, { events: ["UnparseableSchedule"] }],
  ["a date that never comes", { schedule: "0 0 31 2 *", now: "09:00" }, {
    events: ["InvalidSchedule"],
    requeue: "never",
  }],
  ["an unknown zone", { now: "09:00", spec: { timeZone: "Mars/Olympus" } }, {
    events: ["UnknownTimeZone"],
    requeue: "never",
  }],
  ["a zone in other letters is unknown", { now: "09:00", spec: { timeZone: "europe/berlin" } }, {
    events: ["UnknownTimeZone"],
  }],
  ["a zone inside the schedule runs, with a warning", { schedule: "TZ=UTC 0 * * * *", now: "09:00" }, {
    start: "09:00",
    events: ["UnsupportedSchedule"],
    requeue: "10:00",
  }],
  ["it wins over the field, as in Kubernetes", {
    schedule: "CRON_TZ=UTC 0 9 * * *",
    now: "09:00",
    spec: { timeZone: "Asia/Tokyo" },
  }, { start: "09:00", events: ["UnsupportedSchedule"], requeue: "03-11 09:00" }],
  ["active Jobs are followed all the same", {
    schedule: "nope",
    last: "09:00",
    now: "09:30",
    jobs: [{ ...done, listed: true }],
  }, { events: ["SawCompletedJob", "UnparseableSchedule"], status: { active: [], lastSuccessfulTime: "09:01" } }],
  ["history is cleaned up all the same", {
    schedule: "nope",
    last: "09:00",
    now: "09:30",
    jobs: [done],
    spec: { successfulJobsHistoryLimit: 0 },
  }, { deletes: ["09:00"], events: ["UnparseableSchedule"], status: { lastSuccessfulTime: "09:01" } }],
  ["a zone's wall clock counts: nine in Tokyo is midnight here", {
    schedule: "0 9 * * *",
    created: "03-09 12:00",
    now: "00:00:01",
    spec: { timeZone: "Asia/Tokyo" },
  }, { start: "00:00", requeue: "03-11 00:00" }],
]);
