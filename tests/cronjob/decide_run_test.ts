import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { type Row, table } from "./support/table.ts";

const done = { time: "09:00", state: "succeeded" } as const;
const running = { time: "09:00" } as const;

table("decide() starts what is due", BATCH, [
  ["never ran, not yet time: waits for the hour", { now: "08:59" }, { requeue: "09:00" }],
  ["never ran, exactly time: starts", { now: "09:00" }, { start: "09:00", requeue: "10:00" }],
  ["never ran, just after the hour: starts", { now: "09:01" }, { start: "09:00", requeue: "10:00" }],
  ["created after the hour: that hour was before its time", { created: "09:01", now: "09:02" }, { requeue: "10:00" }],
  ["created at the very hour: does not run for it", { created: "09:00", now: "09:00:01" }, { requeue: "10:00" }],
  ["ran at nine, not yet ten: waits", { last: "09:00", now: "09:59:59", jobs: [done] }, {
    requeue: "10:00",
    status: { lastSuccessfulTime: "09:01" },
  }],
  ["ran at nine, it is ten: starts", { last: "09:00", now: "10:00", jobs: [done] }, {
    start: "10:00",
    requeue: "11:00",
    status: { lastSuccessfulTime: "09:01" },
  }],
  ["its Job was deleted meanwhile: does not start again", { last: "09:00", now: "09:30" }, { requeue: "10:00" }],
  [
    "the Job exists though the status does not know: counts as started, and is listed",
    { now: "09:30", jobs: [{ ...running, listed: false }] },
    { requeue: "10:00", status: { lastScheduleTime: "09:00", active: ["09:00"] }, writes: true },
  ],
  [
    "the Job ran to its end before any status had it: counts as started",
    { now: "09:30", jobs: [done] },
    { requeue: "10:00", status: { lastScheduleTime: "09:00", active: [], lastSuccessfulTime: "09:01" } },
  ],
  [
    "this process started it, and neither cache nor status show it: does not start again",
    { now: "09:30", memory: { startedUntil: "09:00" } },
    { requeue: "10:00", status: { lastScheduleTime: "09:00" } },
  ],
  ["missed three: starts the latest", { last: "05:00", created: "04:30", now: "08:10" }, {
    start: "08:00",
    requeue: "09:00",
    status: { passedOver: ["05:00-08:00"] },
  }],
  [
    "missed a hundred: starts the latest without a word",
    { created: "03-01 00:30", last: "03-06 04:00", now: "08:10" },
    { start: "08:00", requeue: "09:00", status: { passedOver: ["03-06 04:00-08:00"] } },
  ],
  [
    "missed 101: starts the latest, and warns",
    { created: "03-01 00:30", last: "03-06 03:00", now: "08:10" },
    { start: "08:00", events: ["TooManyMissedTimes"], requeue: "09:00", status: { passedOver: ["03-06 03:00-08:00"] } },
  ],
  [
    "the clock was set back: waits until after the last run",
    { last: "12:00", now: "09:30" },
    {
      requeue: "13:00",
      events: ["LastScheduleTimeInFuture"],
      clockWentBack: true,
      // Proves that it ran, even to who finds it written by a server whose clock went back too.
      status: { passedOver: ["11:59-12:00"] },
    },
  ],
  [
    "the clock was set back and the Job of the hour is done: waits until after it",
    { last: "09:00", now: "08:59", jobs: [done] },
    { requeue: "10:00", status: { lastSuccessfulTime: "09:01" } },
  ],
  [
    "another owner has a Job of that name: leaves it alone, and the run counts as done",
    { now: "09:00:10", taken: ["09:00"], memory: { startedUntil: "09:00" } },
    { requeue: "10:00", status: { lastScheduleTime: "09:00", active: [] }, writes: true },
  ],
  [
    "creation was refused: does not try twice in one pass",
    { now: "09:00:10", refusal: { jobName: `report-${Date.parse("2026-03-10T09:00Z") / 60_000}`, message: "quota" } },
    { requeue: "10:00", refused: ["09:00"] },
  ],
  [
    "a refusal for another run is no matter",
    { now: "09:00:10", refusal: { jobName: "report-1", message: "quota" } },
    { start: "09:00", requeue: "10:00" },
  ],
  [
    "a namesake's Job without its annotation takes the name all the same",
    { now: "09:00:10", jobs: [{ name: `report-${Date.parse("2026-03-10T09:00Z") / 60_000}`, listed: false }] },
    { events: ["UnexpectedJob"], status: { lastScheduleTime: "09:00" }, requeue: "10:00" },
  ],
  ["an irregular schedule: starts the run that was really missed last", {
    schedule: "*/5 9-17 * * 1-5",
    created: "03-01 00:30",
    last: "03-05 17:00",
    now: "03-07 02:08",
  }, {
    start: "03-06 17:55",
    events: ["TooManyMissedTimes"],
    requeue: "03-09 09:00",
    status: { passedOver: ["03-05 17:00-03-06 17:55"] },
  }],
]);

table("decide() counts @every from the last run, else from the creation", BATCH, [
  ["not yet an hour old: waits", { schedule: "@every 1h", now: "09:29" }, { requeue: "09:30" }],
  ["an hour old: starts", { schedule: "@every 1h", now: "09:30" }, { start: "09:30", requeue: "10:30" }],
  ["an hour after the last run: starts", { schedule: "@every 1h", last: "09:17", now: "10:17" }, {
    start: "10:17",
    requeue: "11:17",
  }],
  ["less than that: waits", { schedule: "@every 1h", last: "09:17", now: "10:16:59" }, { requeue: "10:17" }],
  ["five hours after: starts the latest on its grid", { schedule: "@every 1h", last: "09:17", now: "14:20" }, {
    start: "14:17",
    requeue: "15:17",
    status: { passedOver: ["09:17-14:17"] },
  }],
  [
    "a deadline shorter than the interval leaves the grid alone",
    { schedule: "@every 1h", last: "09:17", now: "10:17:05", spec: { startingDeadlineSeconds: 10 } },
    { start: "10:17", requeue: "11:17" },
  ],
  [
    "past that deadline: misses it, and keeps to the grid",
    { schedule: "@every 1h", last: "09:17", now: "10:17:11", spec: { startingDeadlineSeconds: 10 } },
    { events: ["MissSchedule"], requeue: "11:17" },
  ],
  [
    "the active run goes on beside",
    { schedule: "@every 1h", last: "09:00", now: "10:00", jobs: [running] },
    { start: "10:00", status: { active: ["09:00", "10:00"] }, requeue: "11:00" },
  ],
  [
    "under a minute, batch/v1 starts one Job a minute: the names say minutes",
    { schedule: "@every 20s", last: "09:00", now: "09:00:40", jobs: [done] },
    { requeue: "09:01", status: { lastSuccessfulTime: "09:01" } },
  ],
  [
    "and goes on with the next minute",
    { schedule: "@every 20s", last: "09:00", now: "09:01:05", jobs: [done] },
    { start: "09:01", requeue: "09:02", status: { lastSuccessfulTime: "09:01" }, nextInstant: "09:01:20" },
  ],
  [
    "a week overdue: warns",
    { schedule: "@every 1h", created: "03-01 00:00", last: "03-03 09:17", now: "10:20" },
    { start: "10:17", events: ["TooManyMissedTimes"], requeue: "11:17", status: { passedOver: ["03-03 09:17-10:17"] } },
  ],
]);

table("decide() starts nothing after the deadline", BATCH, [
  ["inside it: starts", { now: "09:00:10", spec: { startingDeadlineSeconds: 10 } }, {
    start: "09:00",
    requeue: "10:00",
  }],
  ["a second later: misses it, visibly", { now: "09:00:11", spec: { startingDeadlineSeconds: 10 } }, {
    events: ["MissSchedule"],
    requeue: "10:00",
  }],
  ["a millisecond late counts too", { now: "09:00:00.001", spec: { startingDeadlineSeconds: 0 } }, {
    events: ["NoTimeToStart", "MissSchedule"],
    requeue: "10:00",
  }],
  ["a deadline of zero: starts on the dot, and says that there is no time", {
    now: "09:00",
    spec: { startingDeadlineSeconds: 0 },
  }, { start: "09:00", events: ["NoTimeToStart"], requeue: "10:00" }],
  ["said before: is not said again", {
    now: "09:10",
    spec: { startingDeadlineSeconds: 10 },
    memory: { decidedUntil: "09:00" },
  }, { requeue: "10:00" }],
  ["the latest of several is late, so are the others", {
    last: "05:00",
    created: "04:30",
    now: "08:10",
    spec: { startingDeadlineSeconds: 60 },
  }, { events: ["MissSchedule"], requeue: "09:00" }],
  ["counts as too many only what the deadline leaves", {
    created: "03-01 00:30",
    last: "03-03 03:00",
    now: "08:10",
    spec: { startingDeadlineSeconds: 7200 },
  }, { start: "08:00", requeue: "09:00", status: { passedOver: ["03-03 03:00-08:00"] } }],
  ["too many even inside a long deadline: warns", {
    created: "03-01 00:30",
    last: "03-03 03:00",
    now: "08:10",
    spec: { startingDeadlineSeconds: 1_000_000 },
  }, {
    start: "08:00",
    events: ["TooManyMissedTimes"],
    requeue: "09:00",
    status: { passedOver: ["03-03 03:00-08:00"] },
  }],
  ["no miss is reported when nothing was due", { now: "08:45", spec: { startingDeadlineSeconds: 10 } }, {
    requeue: "09:00",
  }],
]);

table("decide() starts nothing while suspended", BATCH, [
  ["active Jobs go on and stay listed", { now: "10:01", last: "09:00", jobs: [running], spec: { suspend: true } }, {
    status: { active: ["09:00"] },
    writes: false,
  }],
  ["the end of one is reported", {
    now: "10:01",
    last: "09:00",
    jobs: [{ ...done, listed: true }],
    spec: { suspend: true },
  }, { events: ["SawCompletedJob"], status: { active: [], lastSuccessfulTime: "09:01" } }],
  ["history is cleaned up", {
    now: "10:01",
    last: "09:00",
    jobs: [done],
    spec: { suspend: true, successfulJobsHistoryLimit: 0 },
  }, { deletes: ["09:00"], status: { lastSuccessfulTime: "09:01" } }],
  ["an unparseable schedule is no matter meanwhile", { now: "09:01", schedule: "nope", spec: { suspend: true } }, {}],
  ["an unknown zone is", { now: "09:01", spec: { suspend: true, timeZone: "Europe/Berlim" } }, {
    events: ["UnknownTimeZone"],
  }],
  ["resumed: starts the latest that was missed", {
    last: "05:00",
    created: "04:30",
    now: "08:10",
    spec: { suspend: false },
  }, { start: "08:00", requeue: "09:00", status: { passedOver: ["05:00-08:00"] } }],
]);

/** Every policy with every deadline, suspended or not, with no, one and many missed runs, idle and active. */
function combinations(): Row[] {
  const rows: Row[] = [];
  const deadlines = { "no deadline": undefined, "inside the deadline": 3600, "past the deadline": 10 };
  const overdue = { "not time": undefined, "one due": "09:00", "many due": "03-05 09:00" };
  for (const policy of ["Allow", "Forbid", "Replace"] as const) {
    for (const [lateness, startingDeadlineSeconds] of Object.entries(deadlines)) {
      for (const suspend of [false, true]) {
        for (const [due, last] of Object.entries(overdue)) {
          for (const active of [false, true]) {
            const isDue = last !== undefined && !suspend;
            const inTime = isDue && startingDeadlineSeconds !== 10;
            const refused = inTime && active && policy === "Forbid";
            const starts = inTime && !refused;
            const tooMany = starts && due === "many due" && startingDeadlineSeconds === undefined;
            rows.push([
              `${policy}, ${lateness}, ${suspend ? "suspended" : "not suspended"}, ${due}, ${
                active ? "active" : "idle"
              }`,
              {
                created: "03-05 08:30",
                last: last ?? "10:00",
                now: "10:05",
                spec: { concurrencyPolicy: policy, startingDeadlineSeconds, suspend },
                jobs: active ? [{ time: last ?? "10:00" }] : [],
              },
              {
                start: starts ? "10:00" : undefined,
                replaces: starts ? (active && policy === "Replace" ? [last!] : []) : undefined,
                events: [
                  ...(isDue && !inTime ? ["MissSchedule"] : []),
                  ...(tooMany ? ["TooManyMissedTimes"] : []),
                  ...(refused ? ["JobAlreadyActive"] : []),
                ],
                requeue: suspend ? "never" : "11:00",
                status: starts && due === "many due" ? { passedOver: ["03-05 09:00-10:00"] } : undefined,
              },
            ]);
          }
        }
      }
    }
  }
  return rows;
}

table("decide() combines policy, deadline, suspension and missed runs", BATCH, combinations());
