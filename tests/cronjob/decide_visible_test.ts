// What comes of a CronJob is visible: what can never run, what was refused, and what holds runs back.
import { BATCH, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { CronJobStatus } from "../../src/cronjob/api/types.ts";
import { stableHash } from "../../src/schedule/stable_hash.ts";
import { table } from "./support/table.ts";

const counts = { succeeded: 0, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 };

function seen(more: Partial<CronJobStatus> = {}): Partial<CronJobStatus> {
  const schedule = { text: "0 * * * *", since: "2026-03-10T08:30:00Z" };
  return { schedule, observedGeneration: 1, counts, ...more };
}

function refused(time: string) {
  return { jobName: `report-${Date.parse(`2026-03-10T${time}Z`) / 1000}`, message: "exceeded quota" };
}

/** What is left of the hash of the UID is exactly that. */
const PUTS_OFF_BY_366_DAYS = stableHash("a") - 366 * 86_400;
const DECADES = { spreadSeconds: 2 ** 31 - 1 };

table("decide() says so where no run can ever start", TUTORIAL, [
  ["it ends before it starts", {
    now: "08:45",
    spec: { startTime: "2026-03-12T00:00:00Z", endTime: "2026-03-11T00:00:00Z" },
  }, {
    events: ["NoScheduledTime"],
    conditions: { Ready: "!NoScheduledTime", Overdue: "!OnSchedule" },
    requeue: "03-11 00:00",
    status: { nextScheduleTime: undefined },
  }],
  ["and that still holds when the end has come", {
    now: "08:45",
    spec: { startTime: "2026-03-12T00:00:00Z", endTime: "2026-03-10T00:00:00Z" },
  }, { events: ["NoScheduledTime"], conditions: { Ready: "!NoScheduledTime" } }],
  ["no scheduled time lies between start and end", {
    now: "08:45",
    spec: { startTime: "2026-03-12T00:10:00Z", endTime: "2026-03-12T00:50:00Z" },
  }, {
    events: ["NoScheduledTime"],
    requeue: "03-12 00:50",
    conditions: { Ready: "!NoScheduledTime" },
    status: { nextScheduleTime: undefined },
  }],
  ["none comes until the end", { now: "08:45", spec: { endTime: "2026-03-10T08:59:59Z" } }, {
    events: ["NoScheduledTime"],
    conditions: { Ready: "!NoScheduledTime" },
    requeue: "08:59:59",
    status: { nextScheduleTime: undefined },
  }],
  ["none comes before time ends", {
    now: "08:45",
    schedule: "0 0 1 1 *",
    spec: { startTime: "9999-12-31T23:59:59-12:00" },
  }, { events: ["NoScheduledTime"], requeue: "never", conditions: { Ready: "!NoScheduledTime" } }],
  ["a date that does not exist", { now: "08:45", schedule: "0 0 30 2 *" }, {
    events: ["InvalidSchedule"],
    conditions: { Ready: "!InvalidSchedule", ScheduleValid: "!InvalidSchedule" },
  }],
  ["the last run before the end is behind: nothing is wrong", {
    now: "09:10",
    last: "09:00",
    spec: { endTime: "2026-03-10T09:30:00Z" },
  }, { conditions: { Ready: "Scheduled" }, requeue: "09:30", status: { nextScheduleTime: undefined } }],
  ["it was edited since, and no time is left", {
    now: "09:10",
    last: "09:00",
    status: seen({ schedule: { text: "0 * * * *", since: "2026-03-10T09:05:00Z" } }),
    spec: { endTime: "2026-03-10T09:30:00Z" },
  }, {
    events: ["NoScheduledTime"],
    conditions: { Ready: "!NoScheduledTime" },
    requeue: "09:30",
    status: { nextScheduleTime: undefined },
  }],
  ["a deadline of no time", { now: "08:45", spec: { startingDeadlineSeconds: 0 } }, {
    events: ["NoTimeToStart"],
    conditions: { Ready: "!NoTimeToStart" },
    requeue: "09:00",
  }],
  ["a window of no time", { now: "08:45", spec: { catchUp: { policy: "All", windowSeconds: 0 } } }, {
    events: ["NoTimeToStart"],
    conditions: { Ready: "!NoTimeToStart" },
    requeue: "09:00",
  }],
  ["runs are put off by decades", { now: "08:45", uid: "a", spec: DECADES }, {
    events: ["SpreadTooLong"],
    conditions: { Ready: "!SpreadTooLong" },
    requeue: "04-11 16:35:15",
    status: { nextScheduleTime: "09:00" },
  }],
  ["by a leap year they may be put off", { now: "08:45", uid: "a", spec: { spreadSeconds: PUTS_OFF_BY_366_DAYS } }, {
    conditions: { Ready: "Scheduled" },
    requeue: "03-11 09:00",
    status: { nextScheduleTime: "09:00" },
  }],
  ["but by no more than the deadline", { now: "08:45", uid: "a", spec: { ...DECADES, startingDeadlineSeconds: 60 } }, {
    conditions: { Ready: "Scheduled" },
    requeue: "09:00:15",
    status: { nextScheduleTime: "09:00" },
  }],
  ["a start that is no time", { now: "09:00", spec: { startTime: "2026-03-10T00:00:00+99:99" } }, {
    events: ["InvalidTime"],
    conditions: { Ready: "!InvalidTime" },
  }],
  ["suspended: that is the reason", {
    now: "08:45",
    spec: { suspend: true, startTime: "2026-03-12T00:00:00Z", endTime: "2026-03-11T00:00:00Z" },
  }, { conditions: { Ready: "Suspended" } }],
]);

table("decide() says so in Events where the status has no conditions", BATCH, [
  ["a deadline of no time", { now: "08:45", spec: { startingDeadlineSeconds: 0 } }, {
    events: ["NoTimeToStart"],
    requeue: "09:00",
  }],
  ["runs are put off by decades", {
    now: "08:45",
    uid: "a",
    annotations: { "cronjob-controller.dev/spread-seconds": String(DECADES.spreadSeconds) },
  }, { events: ["SpreadTooLong"], requeue: "04-11 16:35:15" }],
  ["catching up with no time for it", {
    now: "08:45",
    annotations: { "cronjob-controller.dev/catch-up": '{"policy":"All","windowSeconds":0}' },
  }, { events: ["NoTimeToStart"], requeue: "09:00" }],
]);

table("decide() counts as missed what it refuses for good", TUTORIAL, [
  ["a Job of another owner has the name", {
    now: "09:00:10",
    status: seen(),
    taken: ["09:00"],
    memory: { startedUntil: "09:00" },
  }, {
    requeue: "10:00",
    status: { counts: { missed: 1 }, recentRuns: ["09:00 Missed JobNameTaken"], lastScheduleTime: "09:00" },
  }],
  ["and a later run has started", {
    now: "10:00:10",
    status: seen(),
    taken: ["09:00"],
    jobs: [{ time: "10:00", listed: false }],
  }, {
    status: {
      counts: { missed: 1 },
      recentRuns: ["10:00 Running", "09:00 Missed JobNameTaken"],
      active: ["10:00"],
      lastScheduleTime: "10:00",
      passedOver: ["08:29:59-10:00"],
    },
    requeue: "11:00",
  }],
  ["a refused creation is tried again: nothing is missed yet", {
    now: "09:10",
    status: seen(),
    refusal: refused("09:00"),
  }, {
    status: { counts: {}, recentRuns: [] },
    conditions: { Overdue: "FailedCreate" },
    requeue: "10:00",
    refused: ["09:00"],
  }],
  ["the next is refused too: the one before is missed, with all before it", {
    now: "11:10",
    status: seen(),
    refusal: refused("11:00"),
  }, {
    status: { counts: { missed: 2 }, recentRuns: ["10:00 Missed PassedOver"] },
    conditions: { Overdue: "FailedCreate" },
    requeue: "12:00",
    refused: ["11:00"],
  }],
  ["which is counted once", {
    now: "11:20",
    status: seen({
      counts: { ...counts, missed: 2 },
      recentRuns: [{
        scheduledTime: "2026-03-10T10:00:00Z",
        trigger: "Schedule",
        outcome: "Missed",
        reason: "PassedOver",
      }],
    }),
    refusal: refused("11:00"),
  }, {
    status: { counts: { missed: 2 }, recentRuns: ["10:00 Missed PassedOver"] },
    requeue: "12:00",
    conditions: { Overdue: "FailedCreate" },
    refused: ["11:00"],
  }],
  ["and not again when one can be created", {
    now: "12:00:01",
    status: seen({
      counts: { ...counts, missed: 3 },
      recentRuns: [{
        scheduledTime: "2026-03-10T11:00:00Z",
        trigger: "Schedule",
        outcome: "Missed",
        reason: "PassedOver",
      }],
    }),
    jobs: [{ time: "12:00", listed: false }],
  }, {
    status: {
      counts: { missed: 3 },
      recentRuns: ["12:00 Running", "11:00 Missed PassedOver"],
      active: ["12:00"],
      lastScheduleTime: "12:00",
      passedOver: ["08:29:59-12:00"],
    },
    requeue: "13:00",
  }],
  ["what was skipped is skipped, also when its deadline is over", {
    now: "09:10",
    last: "08:00",
    jobs: [{ time: "08:00" }],
    status: seen({
      counts: { ...counts, skipped: 1 },
      recentRuns: [
        { scheduledTime: "2026-03-10T09:00:00Z", trigger: "Schedule", outcome: "Skipped", reason: "JobAlreadyActive" },
        {
          scheduledTime: "2026-03-10T08:00:00Z",
          trigger: "Schedule",
          outcome: "Running",
          jobName: "report-1773129600",
        },
      ],
    }),
    spec: { concurrencyPolicy: "Forbid", startingDeadlineSeconds: 60 },
    created: "07:30",
  }, { status: { counts: { skipped: 1 } }, conditions: { Overdue: "JobAlreadyActive" }, requeue: "10:00" }],
]);

table("decide() names an active Job that lost its owner and holds runs back", TUTORIAL, [
  ["under Forbid", {
    now: "10:00:01",
    last: "09:00",
    jobs: [{ time: "09:00", name: "stray", controlled: false, listed: true }],
    spec: { concurrencyPolicy: "Forbid" },
  }, {
    events: ["JobOwnerLost", "JobAlreadyActive"],
    status: {
      active: ["stray"],
      counts: {},
      recentRuns: ["10:00 Waiting JobAlreadyActive", "Manual stray Running"],
    },
    requeue: "11:00",
    conditions: { Overdue: "JobAlreadyActive" },
  }],
]);
