import { assertEquals } from "@std/assert";
import { EXCLUDE, MANAGED, PASSED_OVER, PAUSE } from "../../src/cronjob/api/annotations.ts";
import { BATCH, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { scheduledJobName } from "../../src/cronjob/api/job_name.ts";
import { STATES } from "../../src/view/cron_job_view.ts";
import type { VerdictKind } from "../../src/view/explain/explanation.ts";
import type { LeaseFacts } from "../../src/view/lease_facts.ts";
import { at } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { type Asked, DEADLINE, explainWorld, FORBID, QUEUE, run } from "./support/explain_world.ts";
import { event, failedPod, inShort, waitingPod } from "./support/facts.ts";

/** What is said, and after ` | ` why. */
type Row = readonly [sentence: string, asked: Asked, says: string];

const BERLIN = { timeZone: "Europe/Berlin" };
const LONG_AGO = { created: "01-01 00:00" };
const SUSPENDED = (status: "True" | "False", reason: string, since: string) => [{
  type: "Suspended",
  status,
  reason,
  message: "",
  lastTransitionTime: new Date(at(since)).toISOString(),
}];
const SKIPPED_BY_HAND = { trigger: "Manual", outcome: "Skipped", reason: "JobAlreadyActive" } as const;
/** Until the next run came. */
const REFUSED: Asked = {
  now: "11:30",
  last: "11:00",
  at: "10:00",
  events: [event("FailedCreate", "Error creating job: exceeded quota", "10:00:01")],
};
/** Made at 10:10, for 08:00. */
const BACKFILLED = {
  name: scheduledJobName("report", TUTORIAL, at("08:00")),
  time: "08:00",
  created: "10:10",
  state: "succeeded" as const,
  ended: "10:12",
  annotations: { "cronjob-controller.dev/backfill": "b1" },
};

/** Its holder has not renewed it since 09:30. */
const LOST: LeaseFacts = {
  kind: "lease",
  key: "n/l",
  holder: "replica-1",
  heldSince: at("08:00"),
  renewedAt: at("09:30"),
  endsAt: at("09:31"),
};

/** After the run that is asked about came the next one. */
const LATER = { now: "11:30", last: "11:00", at: "10:00" };
const TEN = "report-1773136800";
const NINE = "report-1773133200";
const SUCCEEDED: Asked = { last: "10:00", jobs: [{ time: "10:00", state: "succeeded" }] };
const FAILED: Asked = { last: "10:00", jobs: [{ time: "10:00", state: "failed" }] };
const ACTIVE: Asked = { last: "10:00", jobs: [{ time: "10:00" }] };
const BEFORE: Asked = { last: "09:00", jobs: [{ time: "09:00" }] };
const PASSED: Asked["status"] = { passedOver: [{ after: "2026-03-10T09:00:00Z", before: "2026-03-10T11:00:00Z" }] };

const ROWS: readonly Row[] = [
  ["a run that succeeded", SUCCEEDED, "ran at 10:00: succeeded after 1m"],
  ["a run that succeeded, and was started late", {
    last: "10:00",
    jobs: [{ time: "10:00", created: "10:05", state: "succeeded" }],
  }, "ran at 10:00: succeeded after 1m, started 5m late"],
  ["a run that was to start sooner", {
    jobs: [{ time: "10:00", created: "10:05", started: "10:05", state: "succeeded", ended: "10:06" }],
    spec: { expect: { startWithinSeconds: 60 } },
  }, "ran at 10:00: succeeded after 1m, started 5m late"],
  ["a run that was to succeed sooner", {
    jobs: [{ time: "10:00", state: "succeeded", ended: "10:10" }],
    spec: { expect: { finishBy: "10:05" } },
  }, "ran at 10:00: succeeded after 10m"],
  ["a run that was not to succeed so soon", {
    jobs: [{ time: "10:00", state: "succeeded" }],
    spec: { expect: { minimumDurationSeconds: 120 } },
  }, "ran at 10:00: succeeded after 1m"],
  ["the last success for too long a time", {
    jobs: [{ time: "10:00", state: "succeeded" }],
    spec: { expect: { succeededWithinSeconds: 60 } },
  }, "ran at 10:00: succeeded after 1m"],
  ["a run of batch/v1 that succeeded", { ...SUCCEEDED, api: BATCH }, "ran at 10:00: succeeded after 1m"],
  ["an older run, by its time", {
    last: "10:00",
    at: "09:00",
    jobs: [{ time: "09:00", state: "succeeded" }, { time: "10:00", state: "succeeded" }],
  }, "ran at 09:00: succeeded after 1m"],
  ["a run by its Job", { ...SUCCEEDED, job: TEN }, "ran at 10:00: succeeded after 1m"],
  [
    "a run by hand that was skipped",
    {
      ...ACTIVE,
      spec: FORBID,
      at: "10:10:04",
      status: { recentRuns: [{ ...SKIPPED_BY_HAND, startTime: "2026-03-10T10:10:04Z" }] },
    },
    "did NOT run by hand at 10:10:04: skipped | concurrencyPolicy Forbid, and the run of 10:00 (report@10:00) was still active",
  ],
  ["a run of the schedule, as one by hand was skipped at its time", {
    ...ACTIVE,
    spec: FORBID,
    at: "10:00",
    status: { recentRuns: [{ ...SKIPPED_BY_HAND, startTime: "2026-03-10T10:00:00Z" }] },
  }, "was started at 10:00: report@10:00 is running"],
  [
    "a scheduled time that was not started, as a run by hand was skipped at it",
    {
      now: "10:30",
      last: "09:00",
      at: "10:00",
      status: { recentRuns: [{ ...SKIPPED_BY_HAND, startTime: "2026-03-10T10:00:00Z" }] },
    },
    "did NOT run at 10:00: it has been due for 30m | it was not started, and nothing says why: does a controller run?",
  ],
  ["a run by hand", {
    job: "byhand",
    jobs: [{
      name: "byhand",
      created: "10:10",
      annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
      state: "succeeded",
    }],
  }, "ran by hand at 10:10: succeeded after 1m"],
  [
    "a Job that no one knows",
    { job: "nothing" },
    "has no Job nothing | neither a Job nor the status shows it; history limits may have deleted it",
  ],
  ["a run that is active", ACTIVE, "was started at 10:00: report@10:00 is running"],
  ["a run that failed, and no Pod", FAILED, "ran at 10:00: failed after 1m | report@10:00: its Pods failed"],
  ["a run that failed, as its Job says in words", {
    last: "10:00",
    jobs: [{ time: "10:00", state: "failed", failure: "Job has reached the specified backoff limit" }],
  }, "ran at 10:00: failed after 1m | report@10:00: its Pods failed"],
  ["a run that failed with an exit code", {
    ...FAILED,
    pods: [failedPod(TEN, 3)],
  }, "ran at 10:00: failed after 1m | report@10:00: exit 3"],
  ["a run that was killed for its memory", {
    ...FAILED,
    pods: [failedPod(TEN, 137, "OOMKilled")],
  }, "ran at 10:00: failed after 1m | report@10:00: OOMKilled (exit 137)"],
  ["a run that left a message", {
    ...FAILED,
    pods: [failedPod(TEN, 1, "Error", "connecting …\nconnection refused\n")],
  }, "ran at 10:00: failed after 1m | report@10:00: exit 1: connection refused"],
  ["a run that is on record as failed, and whose Job is gone", {
    last: "10:00",
    status: { recentRuns: [{ ...run("10:00", "Failed", "DeadlineExceeded"), jobName: "backup" }] },
  }, "ran at 10:00: failed | backup: took longer than activeDeadlineSeconds"],
  [
    "a run whose image cannot be pulled",
    { ...ACTIVE, pods: [waitingPod(TEN, "ImagePullBackOff", "report:1.9: not found")] },
    'was started at 10:00: report@10:00 does not run yet | its Pod has not started: ImagePullBackOff: "report:1.9: not found"',
  ],
  [
    "a run whose Pod finds no node",
    { ...ACTIVE, pods: [waitingPod(TEN, "Unschedulable", "0/3 nodes are available")] },
    'was started at 10:00: report@10:00 does not run yet | its Pod has not started: Unschedulable: "0/3 nodes are available"',
  ],
  [
    "a run whose Secret is missing",
    { ...ACTIVE, pods: [waitingPod(TEN, "CreateContainerConfigError", 'secret "db" not found')] },
    'was started at 10:00: report@10:00 does not run yet | its Pod has not started: CreateContainerConfigError: secret "db" not found',
  ],
  [
    "a run that gets no Pod",
    {
      ...ACTIVE,
      pods: [],
      events: [event("FailedCreate", 'Error creating: pods "backup-" is forbidden: exceeded quota', "10:00:01", TEN)],
    },
    'was started at 10:00: report@10:00 does not run yet | it has no Pod: Error creating: pods "backup-" is forbidden: exceeded quota',
  ],
  ["a run whose Job is gone, and whose record has its times", {
    last: "10:00",
    status: {
      recentRuns: [{
        ...run("10:00", "Succeeded"),
        jobName: "backup",
        startTime: "2026-03-10T10:00:00Z",
        endTime: "2026-03-10T10:01:00Z",
      }],
    },
  }, "ran at 10:00: succeeded after 1m"],
  ["a run that was deleted by a user", {
    last: "10:00",
    status: { recentRuns: [{ ...run("10:00", "Deleted", "JobDeleted"), jobName: "backup" }] },
  }, "was started at 10:00: how it ended is not known | backup is gone: someone deleted it"],
  ["a run that another replaced", {
    last: "10:00",
    at: "09:00",
    status: { recentRuns: [{ ...run("09:00", "Deleted", "Replaced"), jobName: "backup" }] },
  }, "was started at 09:00: replaced | backup is gone: concurrencyPolicy Replace put a later run in its place"],
  ["a run that was running when it was last seen", {
    last: "10:00",
    status: { recentRuns: [{ ...run("10:00", "Running"), jobName: "backup" }] },
  }, "was started at 10:00: how it ended is not known | backup is gone: nothing says who deleted it"],
  [
    "Forbid, and the run before still active",
    { ...BEFORE, spec: FORBID },
    "waits: its run of 10:00 is due | it waits for the run of 09:00 (report@09:00): starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)",
  ],
  [
    "Forbid, and the run before stuck",
    { ...BEFORE, spec: FORBID, pods: [waitingPod(NINE, "ImagePullBackOff", "report:1.9: not found")] },
    'waits: its run of 10:00 is due | it waits for the run of 09:00 (report@09:00): its Pod has not started: ImagePullBackOff: "report:1.9: not found"; starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)',
  ],
  ["a skipped run on record, whose predecessor has ended", {
    ...LATER,
    spec: FORBID,
    status: { recentRuns: [run("10:00", "Skipped", "JobAlreadyActive")] },
    jobs: [{ time: "09:00", state: "succeeded", ended: "10:30" }, { time: "11:00", state: "succeeded" }],
  }, "did NOT run at 10:00: skipped | concurrencyPolicy Forbid, and the run of 09:00 (report@09:00) was still active"],
  ["a skipped run on record, and nothing of its predecessor", {
    ...LATER,
    spec: FORBID,
    status: { recentRuns: [run("10:00", "Skipped", "JobAlreadyActive")] },
    jobs: [{ time: "11:00", state: "succeeded" }],
  }, "did NOT run at 10:00: skipped | concurrencyPolicy Forbid: another run was active then"],
  ["a skipped run on record, and a predecessor whose end is not known", {
    ...LATER,
    spec: FORBID,
    status: {
      recentRuns: [
        { ...run("09:00", "Unknown", "JobDeleted"), jobName: NINE },
        run("10:00", "Skipped", "JobAlreadyActive"),
      ],
    },
    jobs: [{ time: "11:00", state: "succeeded" }],
  }, "did NOT run at 10:00: skipped | concurrencyPolicy Forbid: another run was active then"],
  [
    "a skipped run of batch/v1 that an Event reports",
    {
      ...LATER,
      api: BATCH,
      spec: FORBID,
      jobs: [{ time: "09:00", state: "succeeded", ended: "10:30" }, { time: "11:00", state: "succeeded" }],
      events: [
        event(
          "JobAlreadyActive",
          "Not starting job because prior execution is running and concurrency policy is Forbid",
          "10:00",
        ),
      ],
    },
    "did NOT run at 10:00: skipped | concurrencyPolicy Forbid, and the run of 09:00 (report-29552220) was still active",
  ],
  [
    "Queue, and the run before still active",
    { ...BEFORE, spec: QUEUE },
    "waits: its run of 10:00 is due | it waits for the run of 09:00 (report@09:00): starts when it ends, unless a later time comes first (concurrencyPolicy Queue)",
  ],
  ["Queue, and a later run took its place", {
    ...BEFORE,
    now: "11:30",
    at: "10:00",
    spec: QUEUE,
    status: { recentRuns: [run("10:00", "Skipped", "Superseded")] },
  }, "did NOT run at 10:00: skipped | it waited for an active run to end until a later run took its place"],
  [
    "as many as may be active",
    { ...BEFORE, spec: { maxConcurrentRuns: 1 } },
    "waits: its run of 10:00 is due | it waits for the run of 09:00 (report@09:00): starts when it ends, unless a later time comes first (maxConcurrentRuns 1)",
  ],
  ["a deadline that is over", {
    last: "09:00",
    spec: DEADLINE,
  }, "did NOT run at 10:00: missed | it was not started inside its deadline of 60 s"],
  ["a deadline that was missed, on record", {
    ...LATER,
    spec: DEADLINE,
    status: { recentRuns: [run("10:00", "Missed", "MissSchedule")] },
    jobs: [{ time: "11:00", state: "succeeded" }],
  }, "did NOT run at 10:00: missed | it was not started inside its deadline"],
  ["a run whose Job's name was taken", {
    ...LATER,
    status: { recentRuns: [run("10:00", "Missed", "JobNameTaken")] },
  }, "did NOT run at 10:00: missed | a Job of that name was there, and did not belong to this CronJob"],
  ["a run that was refused until the next one came", {
    ...LATER,
    status: { recentRuns: [run("10:00", "Missed", "PassedOver")] },
  }, "did NOT run at 10:00: missed | it was not started until a later run took its place"],
  ["a run that is refused: quota", {
    last: "09:00",
    events: [event("FailedCreate", "Error creating job: exceeded quota: count/jobs.batch=5", "10:00:01")],
  }, "did NOT run at 10:00: its Job could not be created | Error creating job: exceeded quota: count/jobs.batch=5"],
  [
    "a run that is refused: webhook",
    {
      last: "09:00",
      events: [
        event(
          "FailedCreate",
          'Error creating job: admission webhook "policy" denied the request: no owner',
          "10:00:01",
        ),
      ],
    },
    'did NOT run at 10:00: its Job could not be created | Error creating job: admission webhook "policy" denied the request: no owner',
  ],
  [
    "a run that is refused: invalid template",
    {
      last: "09:00",
      events: [
        event(
          "FailedCreate",
          "Error creating job: Job.batch is invalid: spec.template.spec.restartPolicy: Required value",
          "10:00:01",
        ),
      ],
    },
    "did NOT run at 10:00: its Job could not be created | Error creating job: Job.batch is invalid: spec.template.spec.restartPolicy: Required value",
  ],
  ["a run that was refused, and a later one that was not", {
    ...LATER,
    api: BATCH,
    events: [event("FailedCreate", "Error creating job: exceeded quota", "10:00:01")],
    jobs: [{ time: "11:00", state: "succeeded" }],
  }, "did NOT run at 10:00: its Job could not be created | Error creating job: exceeded quota"],
  ["a run that came due after an edit", {
    api: BATCH,
    schedule: "0 2 * * *",
    created: "03-01 00:00",
    now: "09:00",
    last: "03-09 02:00",
    generation: 7,
    at: "02:00",
    written: [{ at: "03-09 18:00", fields: ["jobTemplate"] }],
  }, "did NOT run at 02:00: it has been due for 7h | it was not started, and nothing says why: does a controller run?"],
  [
    "a run that is due since before an edit of an annotation",
    {
      api: BATCH,
      last: "09:00",
      at: "10:00",
      annotations: { [MANAGED]: "true", [EXCLUDE]: '[{"schedule":"0 0 * * *"}]' },
      spec: { suspend: true },
      written: [{ at: "10:05", fields: [EXCLUDE] }],
    },
    "may still run at 10:00, or not | what came due before an edit of the schedule starts only where no controller saw the edit: the next Job shows it",
  ],
  [
    "a run that no one starts, and no Events",
    { last: "09:00" },
    "did NOT run at 10:00: it has been due for 30m | it was not started, and nothing says why: does a controller run?",
  ],
  [
    "a run that no one starts, as no controller leads",
    { last: "09:00", lease: LOST },
    "did NOT run at 10:00: it has been due for 30m | no controller leads: Lease n/l was last renewed by replica-1 at 09:30",
  ],
  [
    "a run that has just become due, and no controller leads",
    { now: "10:00:02", last: "09:00", lease: LOST },
    "is to run at 10:00: it is due, and has no Job yet | no controller leads: Lease n/l was last renewed by replica-1 at 09:30",
  ],
  [
    "a missed run whose deadline is over, and a later one that is due",
    { now: "11:00:30", last: "09:00", at: "10:00", spec: DEADLINE },
    "did NOT run at 10:00: missed | it was not started inside its deadline of 60 s",
  ],
  ["a run that has just become due", {
    now: "10:00:02",
    last: "09:00",
  }, "is to run at 10:00: it is due, and has no Job yet"],
  [
    "a missed run, and a later one that is due",
    { now: "11:30", last: "09:00", at: "10:00" },
    "did NOT run at 10:00: a later one is due, of 11:00 | of several missed runs the latest starts (catchUp: Latest)",
  ],
  [
    "a missed run that waits for an older one",
    { now: "11:30", last: "09:00", at: "11:00", spec: { catchUp: { policy: "All" } } },
    "waits: its run of 11:00 is due | one older run comes first (catchUp: All), now that of 10:00",
  ],
  [
    "a missed run at the head of a line, under Allow",
    {
      now: "12:30",
      last: "10:00",
      created: "08:30",
      at: "11:00",
      spec: { catchUp: { policy: "All" } },
      jobs: [{ time: "10:00", created: "12:00" }],
      status: { waiting: [{ after: "2026-03-10T10:00:00Z", before: "2026-03-10T12:00:01Z" }] },
    },
    "waits: its run of 11:00 is due | it waits for the run of 10:00 (report@10:00): starts when it ends (catchUp All)",
  ],
  ["a time to come that joins a line, under Forbid", {
    ...ACTIVE,
    now: "12:30",
    at: "13:00",
    spec: { ...FORBID, catchUp: { policy: "All" } },
    status: { waiting: [{ after: "2026-03-10T10:00:00Z", before: "2026-03-10T12:00:01Z" }] },
  }, "will run at 13:00, in 30m | it joins a line of 2 older runs, which come first"],
  [
    "the last time of a schedule that was edited since",
    { schedule: "30 * * * *", now: "10:20", last: "10:00", at: "10:00" },
    "was started at 10:00: how it ended is not known | status.lastScheduleTime says that it was started, and its Job is gone",
  ],
  [
    "an older time of a schedule that was edited since, and an Event about its Job",
    {
      schedule: "30 * * * *",
      now: "10:45",
      last: "10:30",
      at: "10:00",
      events: [event("SuccessfulCreate", "Created job report-1773136800", "10:00")],
    },
    "was started at 10:00: how it ended is not known | an Event says that report@10:00 was there, and that Job is gone",
  ],
  [
    "an older time that was skipped at first, and whose Job went missing later",
    {
      now: "11:45",
      last: "11:00",
      at: "10:00",
      events: [
        event("JobAlreadyActive", "Not starting job because prior execution is running", "10:00"),
        event("MissingJob", "Active job went missing: report-1773136800", "10:40"),
      ],
    },
    "was started at 10:00: how it ended is not known | an Event says that report@10:00 was there, and that Job is gone",
  ],
  [
    "more missed runs than the tutorial takes",
    { schedule: "* * * * *", now: "12:30", last: "09:00", at: "10:00" },
    "did NOT run at 10:00: too many runs were missed | too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
  ],
  [
    "a time that the schedule does not name: minute",
    { last: "10:00", at: "09:30" },
    "does not run at 09:30: its schedule does not name that time | minute: 0 * * * * does not run at minute 30; the run before is 09:00, the next one 10:00",
  ],
  [
    "a time that the schedule does not name: hour",
    { ...LONG_AGO, schedule: "0 2 * * *", last: "02:00", at: "03:00" },
    "does not run at 03:00: its schedule does not name that time | hour: 0 2 * * * does not run at hour 3; the run before is 02:00, the next one Wed 2026-03-11 02:00 UTC",
  ],
  [
    "a time that the schedule does not name: weekday",
    { ...LONG_AGO, schedule: "0 2 * * 1-5", last: "02:00", at: "03-08 02:00" },
    "does not run at Sun 2026-03-08 02:00 UTC: its schedule does not name that time | day-of-week: 0 2 * * 1-5 does not run on a Sunday; the run before is Fri 2026-03-06 02:00 UTC, the next one Mon 2026-03-09 02:00 UTC",
  ],
  [
    "a time that the schedule does not name: day",
    { ...LONG_AGO, schedule: "0 2 1 * *", last: "03-01 02:00", at: "02:00" },
    "does not run at 02:00: its schedule does not name that time | day-of-month: 0 2 1 * * does not run on day 10; the run before is Sun 2026-03-01 02:00 UTC, the next one Wed 2026-04-01 02:00 UTC",
  ],
  [
    "a time that the schedule does not name: month",
    { ...LONG_AGO, schedule: "0 2 * 1 *", last: "01-31 02:00", at: "02:00" },
    "does not run at 02:00: its schedule does not name that time | month: 0 2 * 1 * does not run in March; the run before is Sat 2026-01-31 02:00 UTC, the next one Fri 2027-01-01 02:00 UTC",
  ],
  [
    "a time that the schedule does not name: neither day",
    { ...LONG_AGO, schedule: "0 2 1 * 1", last: "03-09 02:00", at: "02:00" },
    "does not run at 02:00: its schedule does not name that time | day: 0 2 1 * 1 runs neither on day 10 nor on a Tuesday; the run before is Mon 2026-03-09 02:00 UTC, the next one Mon 2026-03-16 02:00 UTC",
  ],
  [
    "a time that the schedule does not name: second",
    { last: "10:00", at: "10:00:30" },
    "does not run at 10:00:30: its schedule does not name that time | runs begin at whole minutes; the run before is 10:00, the next one 11:00",
  ],
  [
    "a time that an interval does not end at",
    { schedule: "@every 7m", last: "10:28", at: "10:30" },
    "does not run at 10:30: its schedule does not name that time | the interval does not end at that time; the next one 10:35",
  ],
  [
    "a time that none of several schedules names",
    { spec: { schedules: [{ schedule: "0 * * * *" }, { schedule: "15 * * * *" }] }, last: "10:15", at: "10:20" },
    "does not run at 10:20: its schedule does not name that time | none of its 2 schedules names that time; the run before is 10:15, the next one 11:00",
  ],
  [
    "a local time that the clocks skip",
    {
      ...LONG_AGO,
      schedule: "30 2 * * *",
      spec: BERLIN,
      now: "03-29 12:00",
      last: "03-28 01:30",
      at: "2026-03-29 02:30",
    },
    "does not run at that time: the clocks skip it | they go forward at Sun 2026-03-29 03:00 Europe/Berlin (01:00Z); the run before is Sat 2026-03-28 02:30 Europe/Berlin (01:30Z), the next one Mon 2026-03-30 02:30 Europe/Berlin (00:30Z)",
  ],
  [
    "a local time that the clocks skip, and RunAfter",
    {
      ...LONG_AGO,
      schedule: "30 2 * * *",
      spec: { ...BERLIN, clockChangePolicy: { gap: "RunAfter" } },
      now: "03-29 12:00",
      last: "03-28 01:30",
      at: "2026-03-29 02:30",
    },
    "does not run at that time: the clocks skip it | they go forward at Sun 2026-03-29 03:00 Europe/Berlin (01:00Z); the run before is Sat 2026-03-28 02:30 Europe/Berlin (01:30Z), the next one Sun 2026-03-29 03:00 Europe/Berlin (01:00Z)",
  ],
  ["a local time that the clocks show twice", {
    ...LONG_AGO,
    schedule: "30 2 * * *",
    spec: BERLIN,
    now: "10-25 12:00",
    last: "10-25 00:30",
    at: "2026-10-25 02:30",
    jobs: [{ time: "10-25 00:30", state: "succeeded", ended: "10-25 00:31" }],
  }, "ran at Sun 2026-10-25 02:30 Europe/Berlin (00:30Z): succeeded after 1m"],
  [
    "the second of two same local times, under First",
    {
      ...LONG_AGO,
      schedule: "30 2 * * *",
      spec: { ...BERLIN, clockChangePolicy: { overlap: "First" } },
      now: "10-25 12:00",
      last: "10-25 00:30",
      at: "10-25 01:30",
    },
    "does not run at Sun 2026-10-25 02:30 Europe/Berlin (01:30Z): its schedule does not name that time | that local time comes twice, and clockChangePolicy takes the other one; the run before is Sun 2026-10-25 02:30 Europe/Berlin (00:30Z), the next one Mon 2026-10-26 02:30 Europe/Berlin (01:30Z)",
  ],
  [
    "a time in another zone than UTC",
    { ...LONG_AGO, schedule: "0 2 * * *", spec: BERLIN, last: "01:00", jobs: [{ time: "01:00", state: "succeeded" }] },
    "ran at Tue 2026-03-10 02:00 Europe/Berlin (01:00Z): succeeded after 1m",
  ],
  [
    "a date that is excluded",
    { ...LONG_AGO, spec: { exclude: [{ dates: ["2026-03-09"] }] }, last: "10:00", at: "03-09 08:00" },
    "does not run at Mon 2026-03-09 08:00 UTC: that time is excluded | 0 * * * * names it, and an exclusion takes it out; the run before is Sun 2026-03-08 23:00 UTC, the next one 00:00",
  ],
  [
    "a window that is excluded",
    { spec: { exclude: [{ schedule: "0 9 * * *", duration: "1h" }] }, last: "10:00", at: "09:00" },
    "does not run at 09:00: that time is excluded | 0 * * * * names it, and an exclusion takes it out; the run before is 08:00, the next one 10:00",
  ],
  [
    "a time before the CronJob was created",
    { created: "09:30", last: "10:00", at: "09:00" },
    "did NOT run at 09:00: it was created later, at 09:30",
  ],
  ["a time before startTime", {
    spec: { startTime: "2026-03-10T09:30:00Z" },
    at: "09:00",
  }, "did NOT run at 09:00: spec.startTime is 09:30"],
  [
    "a time after endTime",
    { spec: { endTime: "2026-03-10T09:30:00Z" }, last: "09:00", at: "10:00" },
    "did NOT run at 10:00: spec.endTime is 09:30",
  ],
  ["a time before the schedule was edited", {
    generation: 2,
    status: { schedule: { text: "0 * * * *", since: "2026-03-10T10:10:00Z" } },
    last: "09:00",
    at: "10:00",
  }, "did NOT run at 10:00: the schedule holds since 10:10"],
  [
    "a time while it was suspended, since when is known",
    { last: "09:00", spec: { suspend: true }, written: [{ at: "09:10", fields: ["suspend"] }] },
    "did NOT run at 10:00: its schedule has been on hold since 09:10 | Suspended: spec.suspend is true",
  ],
  ["a time while it was suspended, since when is not known", {
    last: "09:00",
    spec: { suspend: true },
  }, "did NOT run at 10:00: its schedule is on hold; since when is not known | Suspended: spec.suspend is true"],
  [
    "a time before it was suspended",
    { last: "09:00", spec: { suspend: true }, written: [{ at: "10:10", fields: ["suspend"] }] },
    "did NOT run at 10:00: it had not started when a start was ruled out, at 10:10 | Suspended: spec.suspend is true",
  ],
  ["a time while it was paused", {
    last: "09:00",
    spec: { pause: { until: "2026-03-10T12:00:00Z", reason: "migration" } },
    status: { conditions: SUSPENDED("True", "Paused", "09:10") },
  }, "did NOT run at 10:00: its schedule has been on hold since 09:10 | Paused: migration; it goes on in 1h 30m"],
  ["a time that waits in line while it is suspended", {
    created: "04:30",
    last: "06:00",
    at: "08:00",
    jobs: [{ time: "06:00", listed: true }],
    spec: { suspend: true, catchUp: { policy: "All" } },
    status: { waiting: [{ after: "2026-03-10T06:00:00Z", before: "2026-03-10T09:00:01Z" }] },
    written: [{ at: "09:10", fields: ["suspend"] }],
  }, "waits: its run of 08:00 is due | spec.suspend is true; it starts in its turn when that ends"],
  [
    "a time while an adopted one was suspended",
    {
      api: BATCH,
      last: "09:00",
      spec: { suspend: true },
      annotations: { "cronjob-controller.dev/managed": "true", "cronjob-controller.dev/suspend": "true" },
      written: [{ at: "09:10", fields: ["cronjob-controller.dev/suspend"] }],
    },
    'did NOT run at 10:00: its schedule has been on hold since 09:10 | Suspended: annotation cronjob-controller.dev/suspend is "true"',
  ],
  [
    "a contested one",
    { api: BATCH, last: "09:00", annotations: { "cronjob-controller.dev/managed": "true" } },
    'may have run at 10:00, or not: this controller leaves it alone | annotation cronjob-controller.dev/managed is "true" but spec.suspend is not true, so kube-controller-manager runs this CronJob: it is left alone until spec.suspend is true, or the annotation is gone',
  ],
  [
    "a contested one, and no time",
    { api: BATCH, now: "08:45", annotations: { "cronjob-controller.dev/managed": "true" } },
    'is not run by this controller | annotation cronjob-controller.dev/managed is "true" but spec.suspend is not true, so kube-controller-manager runs this CronJob: it is left alone until spec.suspend is true, or the annotation is gone',
  ],
  [
    "one that is being released",
    {
      api: BATCH,
      last: "09:00",
      spec: { suspend: true },
      annotations: { "cronjob-controller.dev/managed": "releasing" },
    },
    "did NOT run at 10:00: its schedule is on hold; since when is not known | Releasing: The CronJob is being released",
  ],
  ["an adopted one that ran", {
    api: BATCH,
    last: "10:00",
    spec: { suspend: true },
    annotations: { "cronjob-controller.dev/managed": "true" },
    jobs: [{ time: "10:00", state: "succeeded", controlled: false }],
  }, "ran at 10:00: succeeded after 1m"],
  [
    "one that is paused after failures",
    { last: "09:00", spec: { pauseAfterFailures: 1 }, jobs: [{ time: "09:00", state: "failed" }] },
    "did NOT run at 10:00: its schedule has been on hold since 09:01 | PausedAfterFailures: Nothing starts, as 1 runs failed in a row: a run by hand that succeeds, a change of the spec, or a new value of the annotation cronjob-controller.dev/resume ends that",
  ],
  [
    "a schedule that cannot be read",
    { schedule: "every day", at: "10:00" },
    'does not run at 10:00: its schedule cannot be followed | spec.schedule: schedule "every day": has 2 fields; must be five fields, "minute hour day-of-month month day-of-week", or a descriptor such as @daily',
  ],
  [
    "a zone that is not known",
    { spec: { timeZone: "Europe/Bonn" }, at: "10:00" },
    'does not run at 10:00: its schedule cannot be followed | spec.timeZone: time-zone "Europe/Bonn": must be a name of the tz database such as Europe/Berlin; did you mean Europe/London or Europe/Rome?',
  ],
  [
    "a schedule that cannot be read, and no time",
    { schedule: "every day" },
    'does not run | spec.schedule: schedule "every day": has 2 fields; must be five fields, "minute hour day-of-month month day-of-week", or a descriptor such as @daily',
  ],
  ["an endTime before the startTime", {
    spec: { startTime: "2026-03-11T00:00:00Z", endTime: "2026-03-09T00:00:00Z" },
    at: "03-12 10:00",
  }, "will NOT run at Thu 2026-03-12 10:00 UTC | spec.startTime is after spec.endTime"],
  [
    "an outage of the controller that the status records",
    { status: PASSED, ...LATER },
    "did NOT run at 10:00: a later run was started first | no controller worked then, or none could create the Job, or its clock was ahead",
  ],
  ["a refused run that the status records as passed over", {
    status: PASSED,
    ...REFUSED,
  }, "did NOT run at 10:00: its Job could not be created | Error creating job: exceeded quota"],
  ["a refused run that the status records as missed", {
    ...REFUSED,
    status: { recentRuns: [run("10:00", "Missed", "PassedOver")] },
  }, "did NOT run at 10:00: missed | Error creating job: exceeded quota"],
  [
    "an unclear answer to a run that the status records as passed over",
    { status: PASSED, ...REFUSED, events: [event("FailedCreate", "Error creating job: 500", "10:00:01")] },
    "did NOT run at 10:00: a later run was started first | no controller worked then, or none could create the Job, or its clock was ahead",
  ],
  [
    "a time before the schedule was followed again, that a later run passed over",
    {
      ...LATER,
      status: {
        passedOver: [{ after: "2026-03-10T09:00:00Z", before: "2026-03-10T11:00:00Z" }],
        conditions: SUSPENDED("False", "NotRequested", "10:50"),
      },
    },
    "did NOT run at 10:00: a later run was started first | no controller worked then, or none could create the Job, or its clock was ahead; or it was suspended or paused, which was ended or edited at 10:50",
  ],
  [
    "an outage that the status records, whose conditions do not say since when they hold",
    {
      ...LATER,
      status: {
        passedOver: [{ after: "2026-03-10T09:00:00Z", before: "2026-03-10T11:00:00Z" }],
        conditions: [{ type: "Ready", status: "True", reason: "Scheduled", message: "", lastTransitionTime: "" }],
      },
    },
    "did NOT run at 10:00: a later run was started first | no controller worked then, or none could create the Job, or its clock was ahead",
  ],
  ["a time in a pause that has ended, that a later run passed over", {
    status: PASSED,
    ...LATER,
    annotations: {
      [PAUSE]: '{"by":"ana","reason":"migration","since":"2026-03-10T09:30:00Z","until":"2026-03-10T10:50:00Z"}',
    },
  }, 'did NOT run at 10:00: it was paused then, until 10:50 | Paused: by ana: "migration"'],
  [
    "a time of batch/v1 that was passed over before its spec was written",
    {
      ...LATER,
      api: BATCH,
      generation: 2,
      written: [{ at: "10:50", fields: ["suspend"] }],
      annotations: { [PASSED_OVER]: "2026-03-10T09:00:00Z/2026-03-10T11:00:00Z" },
    },
    "did NOT run at 10:00: a later run was started first | no controller worked then, or none could create the Job, or its clock was ahead; or it was suspended or paused, which was ended or edited at 10:50",
  ],
  [
    "an outage of the controller, by what the records lack",
    {
      ...LATER,
      status: {
        recentRuns: [{ ...run("11:00", "Succeeded"), jobName: "b" }, { ...run("09:00", "Succeeded"), jobName: "a" }],
      },
    },
    "did NOT run at 10:00: it was passed over | no controller worked then, or none could create the Job, or it started a later run instead",
  ],
  [
    "a run that lastScheduleTime alone shows",
    { api: BATCH, last: "10:00" },
    "was started at 10:00: how it ended is not known | status.lastScheduleTime says that it was started, and its Job is gone",
  ],
  [
    "a run of which there is no trace",
    { api: BATCH, last: "10:00", at: "09:00" },
    "may have run at 09:00, or not: no record of it is left | history limits keep 3 successful and 1 failed Jobs; Events could not be read",
  ],
  [
    "a run of which there is no trace, Events included",
    { api: BATCH, last: "10:00", at: "09:00", events: [] },
    "may have run at 09:00, or not: no record of it is left | history limits keep 3 successful and 1 failed Jobs; Events are kept for an hour",
  ],
  [
    "a run whose container ends again and again",
    {
      ...ACTIVE,
      pods: [{
        ...failedPod(TEN, 3, "Error", "no such table"),
        waiting: {
          reason: "CrashLoopBackOff",
          message: "back-off",
          container: "main",
          before: failedPod(TEN, 3, "Error", "no such table").failure,
        },
      }],
    },
    "was started at 10:00: report@10:00 does not run yet | its container main ends and is started again and again (CrashLoopBackOff): exit 3: no such table",
  ],
  ["a run whose Pod was evicted", {
    ...FAILED,
    pods: [failedPod(TEN, 137, "Evicted", "The node was low on resource: memory.")],
  }, "ran at 10:00: failed after 1m | report@10:00: Evicted (exit 137): The node was low on resource: memory."],
  [
    "a run whose first Pod failed, and whose Job tries again",
    { last: "10:00", jobs: [{ time: "10:00", failedPods: 2 }], pods: [failedPod(TEN, 3, "Error", "no such table")] },
    "was started at 10:00: report@10:00 is running | attempt 2 of 7 failed: exit 3: no such table",
  ],
  ["a run that is suspended", {
    last: "10:00",
    jobs: [{ time: "10:00", suspended: true }],
  }, "was started at 10:00: report@10:00 does not run yet | the Job is suspended: its spec.suspend is true"],
  [
    "Forbid, and the run before suspended",
    { last: "09:00", spec: FORBID, jobs: [{ time: "09:00", suspended: true }] },
    "waits: its run of 10:00 is due | it waits for the run of 09:00 (report@09:00): the Job is suspended: its spec.suspend is true; starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)",
  ],
  [
    "Forbid, and the run before suspended, and a time to come",
    { last: "09:00", at: "11:00", spec: FORBID, jobs: [{ time: "09:00", suspended: true }] },
    "will run at 11:00, in 30m | unless report@09:00 is still active then: it would wait for its end",
  ],
  [
    "a run by a back-fill, of a time that was missed",
    { last: "10:00", at: "08:00", jobs: [BACKFILLED, { time: "10:00", state: "succeeded" }] },
    "ran by a back-fill for 08:00: succeeded after 2m",
  ],
  ["a time that ran, and ran again by a back-fill", {
    last: "10:00",
    at: "08:00",
    status: { recentRuns: [{ ...run("08:00", "Failed", "BackoffLimitExceeded"), jobName: "first" }] },
    jobs: [BACKFILLED, { time: "10:00", state: "succeeded" }],
  }, "ran at 08:00: failed | first: its Pods failed"],
  [
    "a window that is excluded, with RunAfter",
    {
      spec: { exclude: [{ from: "2026-03-10T08:30", to: "2026-03-10T09:30" }], onExcluded: "RunAfter" },
      last: "10:00",
      at: "09:00",
    },
    "does not run at 09:00: that time is excluded | 0 * * * * names it, and an exclusion takes it out; the run before is 08:00, the next one 09:30",
  ],
  ["the end of a window that is excluded, with RunAfter", {
    spec: { exclude: [{ from: "2026-03-10T08:30", to: "2026-03-10T09:30" }], onExcluded: "RunAfter" },
    last: "10:00",
    at: "09:30",
    jobs: [{ time: "09:30", state: "succeeded" }],
  }, "ran at 09:30: succeeded after 1m"],
  [
    "a time of several schedules that is excluded",
    {
      spec: {
        schedules: [{ schedule: "0 * * * *" }, { schedule: "15 * * * *" }],
        exclude: [{ schedule: "15 9 * * *", duration: "10m" }],
      },
      last: "10:15",
      at: "09:15",
    },
    "does not run at 09:15: that time is excluded | 0 * * * *; 15 * * * * names it, and an exclusion takes it out; the run before is 09:00, the next one 10:00",
  ],
  [
    "a time of several schedules that no one starts",
    { spec: { schedules: [{ schedule: "0 * * * *" }, { schedule: "15 * * * *" }] }, last: "10:00", at: "10:15" },
    "did NOT run at 10:15: it has been due for 15m | it was not started, and nothing says why: does a controller run?",
  ],
  [
    "a run that the API server may have created",
    {
      ...LATER,
      api: BATCH,
      events: [event("FailedCreate", "Error creating job: etcd timed out", "10:00:01")],
      jobs: [{ time: "11:00", state: "succeeded" }],
    },
    "may have run at 10:00, or not: the API server did not say whether it created its Job | Error creating job: etcd timed out",
  ],
  [
    "one that is spread, before it starts",
    { now: "10:00:10", last: "09:00", spec: { spreadSeconds: 600 } },
    "will run at 10:00, in 2m 58s | its runs are spread: this one starts 10:03:08",
  ],
  [
    "one that is deleted",
    { last: "09:00", deleting: true },
    "did NOT run at 10:00: it had not started when a start was ruled out, at 10:30 | Deleting: The CronJob is being deleted",
  ],
  ["a second controller that works on it", {
    ...SUCCEEDED,
    events: [event("MultipleControllers", "Another controller works on this CronJob", "10:00:01")],
  }, "ran at 10:00: succeeded after 1m"],
  ["a time to come", { last: "10:00", at: "11:00" }, "will run at 11:00, in 30m"],
  [
    "a time to come, under Forbid with an active run",
    { ...ACTIVE, at: "11:00", spec: FORBID },
    "will run at 11:00, in 30m | unless report@10:00 is still active then: it would wait for its end",
  ],
  [
    "a time to come, under Queue with an active run",
    { ...ACTIVE, at: "11:00", spec: QUEUE },
    "will run at 11:00, in 30m | unless report@10:00 is still active then: it would wait for its end",
  ],
  [
    "a time to come, under Replace with an active run",
    { ...ACTIVE, at: "11:00", spec: { concurrencyPolicy: "Replace" } },
    "will run at 11:00, in 30m | report@10:00 is deleted for it, if it is still active then",
  ],
  [
    "a time to come while it is suspended",
    { last: "10:00", at: "11:00", spec: { suspend: true } },
    "will NOT run at 11:00 | spec.suspend is true",
  ],
  [
    "a time to come before its pause ends",
    { last: "10:00", at: "11:00", spec: { pause: { until: "2026-03-10T12:00:00Z" } } },
    "will NOT run at 11:00 | Paused: spec.pause is set, until 12:00",
  ],
  [
    "a time to come after its pause has ended",
    { last: "10:00", at: "13:00", spec: { pause: { until: "2026-03-10T12:00:00Z" } } },
    "will run at 13:00, in 2h 30m",
  ],
  ["a time to come before startTime", {
    at: "11:00",
    spec: { startTime: "2026-03-10T12:00:00Z" },
  }, "will NOT run at 11:00 | spec.startTime is 12:00"],
  [
    "a time to come after endTime",
    { last: "10:00", at: "12:00", spec: { endTime: "2026-03-10T11:30:00Z" } },
    "will NOT run at 12:00 | spec.endTime is 11:30",
  ],
  [
    "a time to come that is excluded",
    { last: "10:00", at: "03-12 10:00", spec: { exclude: [{ dates: ["2026-03-12"] }] } },
    "does not run at Thu 2026-03-12 10:00 UTC: that time is excluded | 0 * * * * names it, and an exclusion takes it out; the run before is Wed 2026-03-11 23:00 UTC, the next one Fri 2026-03-13 00:00 UTC",
  ],
  ["one that has had no time yet", { now: "08:45" }, "has had no scheduled time yet"],
  ["one that never comes any more", {
    created: "09:30",
    spec: { endTime: "2026-03-10T09:45:00Z" },
  }, "does not run any more"],
];

table("every question is answered in a sentence", ROWS, (asked, says) => {
  const { verdict } = explainWorld(asked);
  assertEquals(inShort(verdict.message + (verdict.why === undefined ? "" : ` | ${verdict.why}`)), says);
});

table<[asked: Asked, expected: unknown]>(
  "the schedule is checked for a time",
  [
    ["of a calendar", { last: "10:00", jobs: [{ time: "10:00" }] }, {
      result: "ok",
      message: "0 * * * * names that time in UTC, as no timeZone is set; no clock change near it",
    }],
    ["of an interval, the last one", { schedule: "@every 7m", last: "10:28", jobs: [{ time: "10:28" }] }, {
      result: "ok",
      message: "@every 7m counts from one run to the next, and came to that time",
    }],
    ["of an interval, the next one", { schedule: "@every 7m", last: "10:28", at: "10:35" }, {
      result: "ok",
      message: "@every 7m counts from one run to the next, and comes to that time",
    }],
    ["that an interval has not come to", { schedule: "@every 7m", last: "10:28", at: "10:30" }, {
      result: "FAIL",
      message: "the interval does not end at that time",
    }],
  ],
  (asked, expected) => assertEquals(explainWorld(asked).checks[0], expected),
);

test("the worlds that are explained are in every state, and come to every verdict", () => {
  const explanations = ROWS.map(([, asked]) => explainWorld(asked));
  const states = new Set(explanations.map(({ state }) => state));
  assertEquals(STATES.filter((state) => !states.has(state)), []);
  const verdicts = new Set(explanations.map(({ verdict }) => verdict.kind));
  assertEquals(VERDICTS.filter((kind) => !verdicts.has(kind)), []);
});

test("beside a run that goes on is said that none has ended, where each is replaced", () => {
  const asked = {
    created: "05:30",
    last: "10:00",
    jobs: [{ time: "10:00" }],
    spec: { concurrencyPolicy: "Replace" },
  } as const;
  const { verdict, notes } = explainWorld({ ...asked, jobs: [...asked.jobs] });
  assertEquals([verdict.kind, ...notes], [
    "Running",
    "No run has ended since Tue 2026-03-10 05:30 UTC: each is replaced by the next",
  ]);
});

const VERDICTS: readonly VerdictKind[] = [
  "Succeeded",
  "Failed",
  "Running",
  "Pending",
  "Started",
  "Skipped",
  "Waiting",
  "Missed",
  "NotStarted",
  "Overdue",
  "NotScheduled",
  "Excluded",
  "NotFollowed",
  "Unknown",
  "WillRun",
  "WillNotRun",
];
