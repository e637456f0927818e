import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { BACKFILL, EXCLUDE, MANAGED, PAUSE } from "../../src/cronjob/api/annotations.ts";
import type { Condition, CronJobStatus, RunRecord } from "../../src/cronjob/api/types.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import type { FailuresView } from "../../src/view/cron_job_view.ts";
import { viewOf } from "../../src/view/view_of.ts";
import type { EventFacts } from "../../src/view/event_facts.ts";
import type { PodFacts } from "../../src/view/pod_facts.ts";
import { at, clockOf, type Given, type JobGiven, world } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { DEADLINE, FORBID, QUEUE } from "./support/explain_world.ts";
import { event, failedPod, inShort, keptRun, waitingPod } from "./support/facts.ts";

interface Seen extends Given {
  api?: Flavour;
  pods?: PodFacts[];
  events?: EventFacts[];
}

/** `State since: why`, and what can be done. */
type Row = readonly [sentence: string, seen: Seen, state: string, actions?: string];

const STUCK = waitingPod("stuck", "ImagePullBackOff", 'Back-off pulling image "report:1.9"');
const FAILED = failedPod("broken", 1);
const DONE: PodFacts = { ...failedPod("report-1773136800", 0), failure: undefined };

const CRASHING: PodFacts = {
  ...STUCK,
  hasStarted: true,
  waiting: { reason: "CrashLoopBackOff", message: "back-off", container: "main", before: FAILED.failure },
};

function condition(type: string, status: "True" | "False", reason: string, since: string): Condition {
  return { type, status, reason, message: "", lastTransitionTime: new Date(at(since)).toISOString() };
}

const NIGHT = { by: "ana", since: "2026-03-09T22:00:00Z", until: "2026-03-10T08:00:00Z" };

/** Adopted, and paused on purpose while its run came due. */
const OVERNIGHT = {
  api: BATCH,
  schedule: "0 2 * * *",
  created: "03-08 12:00",
  last: "03-09 02:00",
  spec: { suspend: true, startingDeadlineSeconds: 3600 },
  annotations: { [MANAGED]: "true", [PAUSE]: JSON.stringify(NIGHT) },
};

function pausedBySuspend(until?: string): Seen {
  const note = JSON.stringify({ by: "ana", since: "2026-03-10T09:10:00Z", until, suspends: true });
  return { now: "10:30", last: "09:00", spec: { suspend: true }, annotations: { [PAUSE]: note } };
}

function pausedUntil(clock: string): Pick<Given, "annotations"> {
  return { annotations: { [PAUSE]: JSON.stringify({ by: "ana", until: formatTime(at(clock)) }) } };
}

const REPLACED = { spec: { concurrencyPolicy: "Replace" } } as const;

const EXCLUDE_EDITED: Seen = {
  api: BATCH,
  now: "10:10",
  last: "09:00",
  annotations: { [MANAGED]: "true", [EXCLUDE]: '[{"schedule":"0 0 * * *"}]' },
  spec: { suspend: true },
  written: [{ at: "10:05", fields: [EXCLUDE] }],
};

const MISSED = { now: "10:30", last: "09:00", spec: DEADLINE } as const;

/** The Job of a back-fill. */
function pastRun(time: string, state: "succeeded" | "failed" = "succeeded"): JobGiven {
  return { time, state, created: "10:20", annotations: { [BACKFILL]: "a" } };
}

/** A run that has taken 70 minutes, after one that began at 09:00. */
function runAfter(ended: string): Seen {
  const jobs: JobGiven[] = [{ time: "09:00", state: "succeeded", ended }, { time: "10:00", name: "slow" }];
  return { now: "11:10", last: "10:00", spec: { concurrencyPolicy: "Forbid" }, jobs };
}

const HELD_BACK =
  "Blocked 11:00: JobAlreadyActive waits for slow: starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)";

const SKIPPED = { trigger: "Schedule", outcome: "Skipped", reason: "JobAlreadyActive" } as const;

const taken = (time: string) =>
  ({
    trigger: "Schedule",
    outcome: "Missed",
    reason: "JobNameTaken",
    scheduledTime: `2026-03-10T${time}:00Z`,
  }) as const;

const MISSED_AT_10 = "Missed 10:00: MissSchedule The run of 10:00 was not started inside its deadline";
const OVERDUE_SINCE_10 = "Overdue 10:00: NotStarted It was not started; why is not known without Events";

const ROWS: readonly Row[] = [
  ["a CronJob that waits", { now: "10:30", last: "10:00", jobs: [{ time: "10:00", state: "succeeded" }] }, "Waiting"],
  ["one that runs", { now: "10:01", last: "10:00", jobs: [{ time: "10:00" }] }, "Running 10:00"],
  ["one whose run has just become due", { now: "10:00:05", last: "09:00" }, "Waiting"],
  ["a run that no one starts", { now: "10:02", last: "09:00" }, OVERDUE_SINCE_10, "LookAtController"],
  [
    "a run that no one starts, and Events that say nothing",
    {
      now: "10:02",
      last: "09:00",
      events: [],
    },
    "Overdue 10:00: NotStarted It was not started; no Event says why: does a controller run?",
    "LookAtController",
  ],
  [
    "a run that started too late",
    { now: "10:20", spec: { expect: { startWithinSeconds: 300 } }, jobs: [{ time: "10:00", started: "10:06" }] },
    "Late 10:05: Late The run of 10:00 started at 10:06; startWithinSeconds is 300",
  ],
  [
    "a run that goes on for too long",
    {
      now: "10:20",
      spec: { expect: { finishBy: "10:15" } },
      jobs: [{ time: "10:00" }],
    },
    "Slow 10:15: Slow The run of 10:00 had not succeeded by 10:15; finishBy is 10:15",
    "ReadLogs report@10:00",
  ],
  [
    "a run that succeeded too soon",
    {
      now: "10:20",
      spec: { expect: { minimumDurationSeconds: 60 } },
      jobs: [{ time: "10:00", state: "succeeded", ended: "10:00:01" }],
    },
    "Suspicious 10:00:01: Suspicious report@10:00 succeeded after 1 s; minimumDurationSeconds is 60",
    "ReadLogs report@10:00, RunNow",
  ],
  [
    "a run that succeeded and said that it did nothing",
    {
      now: "10:20",
      spec: { expect: { messagePattern: "*rows: [1-9]*" } },
      jobs: [{ time: "10:00", state: "succeeded", ended: "10:01" }],
      pods: [{ ...DONE, success: { container: "main", exitCode: 0, message: "rows: 0\n" } }],
    },
    'Suspicious 10:01: Suspicious report@10:00 succeeded and said "rows: 0"; messagePattern is "*rows: [1-9]*"',
    "ReadLogs report@10:00, RunNow",
  ],
  [
    "no success for too long",
    {
      now: "11:20",
      last: "11:00",
      spec: { schedule: "0 10-11 * * *", expect: { succeededWithinSeconds: 3600 } },
      jobs: [{ time: "10:00", state: "succeeded", ended: "10:10" }, { time: "11:00" }],
    },
    "Stale 11:10: Stale No run has succeeded since 10:10; succeededWithinSeconds is 3600",
    "RunNow",
  ],
  [
    "a run whose Job is refused",
    {
      now: "10:00:05",
      last: "09:00",
      events: [event("FailedCreate", "Error creating job: exceeded quota", "10:00:01")],
    },
    "Overdue 10:00: FailedCreate Error creating job: exceeded quota",
    "LetJobBeCreated",
  ],
  [
    "a run that no one starts, while a Job's Pods are refused",
    {
      now: "10:00:05",
      last: "09:00",
      jobs: [{ time: "09:00", name: "busy" }],
      events: [event("FailedCreate", "Error creating: pods is forbidden: exceeded quota", "10:00:01", "busy")],
    },
    "Pending 09:00: FailedCreate it has no Pod: Error creating: pods is forbidden: exceeded quota",
    "DeleteJob busy",
  ],
  [
    "a run whose Job is not valid",
    {
      now: "10:00:05",
      last: "09:00",
      events: [event("FailedCreate", "Error creating job: Job.batch is invalid: no restartPolicy", "10:00:01")],
    },
    "Overdue 10:00: FailedCreate Error creating job: Job.batch is invalid: no restartPolicy",
    "CorrectSpec",
  ],
  ["a run that has failed once, and goes on", {
    now: "10:01",
    last: "10:00",
    jobs: [{ time: "10:00", name: "report-a" }],
    pods: [failedPod("report-a", 3, "Error", "no such table")],
  }, "Running 10:00: Error it has failed before, and is tried again: exit 3: no such table"],
  ["a run whose third attempt failed", {
    now: "10:01",
    last: "10:00",
    jobs: [{ time: "10:00", name: "report-a", failedPods: 3 }],
    pods: [failedPod("report-a", 3, "Error", "no such table")],
  }, "Running 10:00: Error attempt 3 of 7 failed: exit 3: no such table"],
  ["a run of several Pods, of which some failed", {
    now: "10:01",
    last: "10:00",
    jobs: [{ time: "10:00", name: "report-a", failedPods: 3, completions: 5 }],
    pods: [failedPod("report-a", 3)],
  }, "Running 10:00: Error it has failed before, and is tried again: exit 3"],
  [
    "a run that holds others back, and has failed once",
    {
      now: "11:01",
      last: "10:00",
      spec: FORBID,
      jobs: [{ time: "10:00", name: "report-a" }],
      pods: [failedPod("report-a", 3)],
    },
    "Blocked 11:00: JobAlreadyActive waits for report-a: it has failed before, and is tried again: exit 3; starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)",
    "Wait report-a, DeleteJob report-a",
  ],
  [
    "a batch/v1 run from before an edit, which only who saw the edit does not start",
    { api: BATCH, now: "10:10", last: "09:00", generation: 2, written: [{ at: "10:05", fields: ["schedule"] }] },
    "Waiting",
  ],
  ["a batch/v1 run from before an edit of an annotation, likewise", EXCLUDE_EDITED, "Waiting"],
  [
    "a batch/v1 run that no one starts, and an annotation that is as it was at first",
    {
      ...EXCLUDE_EDITED,
      written: [{ at: "08:30", fields: [EXCLUDE] }],
    },
    OVERDUE_SINCE_10,
    "LookAtController",
  ],
  [
    "Forbid, and an active run whose Job has just been deleted",
    { now: "10:14", last: "09:00", spec: FORBID, lost: "report-1773133200" },
    "Waiting",
  ],
  [
    "Forbid, and an active run whose Job was deleted, which no controller has seen for a quarter of an hour",
    { now: "10:15", last: "09:00", spec: FORBID, lost: "report-1773133200" },
    OVERDUE_SINCE_10,
    "LookAtController",
  ],
  [
    "Allow, and an active run whose Job has just been deleted",
    {
      now: "10:30",
      last: "09:00",
      lost: "report-1773133200",
    },
    OVERDUE_SINCE_10,
    "LookAtController",
  ],
  [
    "a run that is suspended",
    {
      now: "10:01",
      last: "10:00",
      jobs: [{ time: "10:00", name: "held", suspended: true }],
    },
    "Pending 10:00: JobSuspended the Job is suspended: its spec.suspend is true",
    "UnsuspendJob held, DeleteJob held",
  ],
  [
    "Forbid, and a run whose container ends again and again",
    { now: "10:30", last: "09:00", spec: FORBID, jobs: [{ time: "09:00", name: "stuck" }], pods: [CRASHING] },
    "Blocked 10:00: CrashLoopBackOff waits for stuck: its container main ends and is started again and again (CrashLoopBackOff): exit 1; starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)",
    "ReadLogs stuck, DeleteJob stuck",
  ],
  ["a run of several Pods, one of which gets nowhere", {
    now: "10:01",
    last: "10:00",
    jobs: [{ time: "10:00", name: "stuck" }],
    pods: [STUCK, { ...STUCK, hasStarted: true, waiting: undefined }],
  }, "Running 10:00"],
  [
    "a run whose first Pod failed, and whose second one gets nowhere",
    {
      now: "10:01",
      last: "10:00",
      jobs: [{ time: "10:00", name: "stuck", failedPods: 1 }],
      pods: [failedPod("stuck", 3), STUCK],
    },
    'Pending 10:00: ImagePullBackOff its Pod has not started: ImagePullBackOff: Back-off pulling image "report:1.9"',
    "CorrectImage, DeleteJob stuck",
  ],
  [
    "Forbid, and a run whose first Pod was evicted, and whose second one gets nowhere",
    {
      now: "10:30",
      last: "09:00",
      spec: FORBID,
      jobs: [{ time: "09:00", name: "stuck", failedPods: 1 }],
      pods: [{ ...STUCK, isOver: true, waiting: { reason: "Evicted", message: "low on memory" } }, STUCK],
    },
    'Blocked 10:00: ImagePullBackOff waits for stuck: its Pod has not started: ImagePullBackOff: Back-off pulling image "report:1.9"; starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)',
    "CorrectImage, DeleteJob stuck, SetPendingTimeout",
  ],
  [
    "a run whose first Pod failed, and whose second one is refused",
    {
      now: "10:01",
      last: "10:00",
      jobs: [{ time: "10:00", name: "busy", failedPods: 1 }],
      pods: [failedPod("busy", 3)],
      events: [event("FailedCreate", "Error creating: pods is forbidden: exceeded quota", "10:00:30", "busy")],
    },
    "Pending 10:00: FailedCreate it has no Pod: Error creating: pods is forbidden: exceeded quota",
    "DeleteJob busy",
  ],
  ["a run whose only Pod was refused at first, and has failed since", {
    now: "10:01",
    last: "10:00",
    jobs: [{ time: "10:00", name: "busy", failedPods: 1 }],
    pods: [{ ...failedPod("busy", 3), createdAt: at("10:00:40") }],
    events: [event("FailedCreate", "Error creating: pods is forbidden: exceeded quota", "10:00:30", "busy")],
  }, "Running 10:00: Error attempt 1 of 7 failed: exit 3"],
  ["a run whose first Pod failed, and whose second one is being made ready", {
    now: "10:30",
    last: "10:00",
    jobs: [{ time: "10:00", name: "stuck", failedPods: 1 }],
    pods: [failedPod("stuck", 3), { ...STUCK, waiting: undefined }],
  }, "Running 10:00: Error attempt 1 of 7 failed: exit 3"],
  ["a run that came due in a pause that was longer than its deadline", { ...OVERNIGHT, now: "09:30" }, "Waiting"],
  [
    "a run that came due after such a pause, and is too late",
    {
      ...OVERNIGHT,
      schedule: "0 2,9 * * *",
      now: "10:30",
    },
    "Missed 09:00: MissSchedule The run of 09:00 was not started inside its deadline",
    "RunNow",
  ],
  [
    "a run that starts just now, at the end of a pause",
    { now: "10:30:05", last: "08:00", ...pausedUntil("10:30") },
    "Waiting",
  ],
  [
    "a run that no one starts after a pause",
    { now: "10:32", last: "08:00", ...pausedUntil("10:30"), events: [] },
    "Overdue 10:30: NotStarted It was not started; no Event says why: does a controller run?",
    "LookAtController",
  ],
  [
    "Forbid, and a run that takes long, over a pause",
    { now: "10:32", last: "08:00", ...pausedUntil("10:30"), spec: FORBID, jobs: [{ time: "08:00", name: "long" }] },
    "Blocked 10:30: JobAlreadyActive waits for long: starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)",
    "Wait long, DeleteJob long",
  ],
  [
    "a run that starts just now, as the one before has ended",
    { now: "10:30:05", last: "09:00", spec: FORBID, jobs: [{ time: "09:00", state: "succeeded", ended: "10:30" }] },
    "Waiting",
  ],
  [
    "a run that no one starts since the one before has ended",
    { now: "10:32", last: "09:00", spec: FORBID, jobs: [{ time: "09:00", state: "succeeded", ended: "10:30" }] },
    "Overdue 10:30: NotStarted It was not started; why is not known without Events",
    "LookAtController",
  ],
  [
    "Forbid, spread runs, and one that takes long",
    {
      now: "11:50",
      last: "09:00",
      spec: { concurrencyPolicy: "Forbid", spreadSeconds: 3000 },
      jobs: [{ time: "09:00", name: "long" }],
    },
    "Blocked 10:43:08: JobAlreadyActive waits for long: starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)",
    "Wait long, DeleteJob long",
  ],
  [
    "a run whose Job was refused until it was too late",
    {
      now: "10:30",
      last: "09:00",
      spec: DEADLINE,
      events: [event("FailedCreate", "Error creating job: exceeded quota", "10:00:30")],
    },
    "Missed 10:00: MissSchedule The run of 10:00 was not started inside its deadline: Error creating job: exceeded quota",
    "RunNow",
  ],
  [
    "runs whose Jobs' names other Jobs have",
    { now: "10:30", last: "10:00", status: { recentRuns: [taken("10:00"), taken("09:00")] } },
    "Missed 09:00: JobNameTaken The run of 10:00 was not started: a Job of that name was there, and did not belong to this CronJob",
    "RunNow",
  ],
  [
    "such a run that a back-fill made up for",
    { now: "10:30", last: "10:00", status: { recentRuns: [taken("10:00")] }, jobs: [pastRun("10:00")] },
    "Waiting",
  ],
  ["such a run before others that succeeded", {
    now: "10:30",
    last: "10:00",
    jobs: [{ time: "10:00", state: "succeeded" }],
    status: { recentRuns: [taken("09:00")] },
  }, "Waiting"],
  [
    "a run that was held back until it was too late",
    {
      now: "10:31",
      last: "09:00",
      spec: { startingDeadlineSeconds: 60, concurrencyPolicy: "Forbid" },
      jobs: [{ time: "09:00", name: "long", state: "succeeded", ended: "10:30" }],
      status: { recentRuns: [{ ...SKIPPED, scheduledTime: "2026-03-10T10:00:00Z" }] },
    },
    "Missed 10:00: JobAlreadyActive The run of 10:00 was skipped: concurrencyPolicy Forbid, and the run of 09:00 (long) was still active",
    "RunNow",
  ],
  [
    "a run that came due in a pause of the spec, and is too late",
    { now: "10:30", last: "09:00", spec: { startingDeadlineSeconds: 60, pause: { until: "2026-03-10T10:20:00Z" } } },
    "Waiting",
  ],
  [
    "a run that came due while it was suspended, and is too late",
    { api: BATCH, now: "10:30", last: "09:00", spec: DEADLINE, written: [{ at: "10:20", fields: ["suspend"] }] },
    "Waiting",
  ],
  [
    "a run that is too late, after a resumption that no controller has seen",
    {
      ...{ now: "10:30", last: "08:00", spec: { startingDeadlineSeconds: 60 } },
      written: [{ at: "09:20", fields: ["suspend"] }],
      status: { conditions: ["Ready", "Suspended"].map((type) => condition(type, "True", "Suspended", "09:10")) },
    },
    MISSED_AT_10,
    "RunNow",
  ],
  [
    "a run that is too late, and a manifest that was applied since",
    {
      ...{ api: BATCH, now: "10:30", last: "09:00", spec: { startingDeadlineSeconds: 60, suspend: false } },
      written: [{ at: "10:20", fields: ["schedule", "suspend", "jobTemplate"] }],
    },
    MISSED_AT_10,
    "RunNow",
  ],
  [
    "Replace, and a second run in a row that has not ended",
    { ...REPLACED, now: "11:10", last: "11:00", jobs: [{ time: "09:00", state: "succeeded" }, { time: "11:00" }] },
    "Running 11:00",
  ],
  [
    "Replace, and a third",
    { ...REPLACED, now: "12:10", last: "12:00", jobs: [{ time: "09:00", state: "succeeded" }, { time: "12:00" }] },
    "Slow 12:00: Replaced No run has ended since 09:01: each is replaced by the next",
    "ReadLogs report@12:00",
  ],
  [
    "Replace, and a fourth where none has ever ended",
    { ...REPLACED, api: BATCH, now: "12:10", last: "12:00", jobs: [{ time: "12:00" }] },
    "Slow 11:00: Replaced No run has ended since 08:30: each is replaced by the next, or was not started",
    "ReadLogs report-29552400",
  ],
  ["Replace, and Jobs that are deleted soon after they end", {
    ...{ api: BATCH, now: "12:10", last: "12:00", jobs: [{ time: "12:00" }] },
    spec: { ...REPLACED.spec, jobTemplate: { spec: { ttlSecondsAfterFinished: 60, template: {} } } },
  }, "Running 12:00"],
  [
    "Replace, and a fourth of an interval",
    { ...REPLACED, schedule: "@every 1h", now: "12:40", last: "12:30", jobs: [{ time: "12:30" }] },
    "Slow 11:30: Replaced No run has ended since 08:30: each is replaced by the next",
    "ReadLogs report@12:30",
  ],
  ["Replace, and a run after an outage", {
    ...REPLACED,
    now: "12:10",
    last: "12:00",
    jobs: [{ time: "12:00" }],
    status: { passedOver: [{ after: "2026-03-10T09:00:00Z", before: "2026-03-10T12:00:00Z" }] },
  }, "Running 12:00"],
  ["a run that is too late", { now: "10:30", last: "09:00", spec: DEADLINE }, MISSED_AT_10, "RunNow"],
  [
    "a run that is too late, and its back-fill failed",
    {
      ...MISSED,
      jobs: [pastRun("10:00", "failed")],
    },
    MISSED_AT_10,
    "RunNow",
  ],
  ["a run that is too late, and whose back-fill succeeded", { ...MISSED, jobs: [pastRun("10:00")] }, "Waiting"],
  [
    "a run that is too late, and the back-fill of another",
    {
      ...MISSED,
      jobs: [pastRun("09:00")],
    },
    MISSED_AT_10,
    "RunNow",
  ],
  ["a run that is too late, and a later success by hand", {
    ...MISSED,
    jobs: [{ name: "by-hand", state: "succeeded", created: "10:20" }],
  }, "Waiting"],
  [
    "a run that is too late, and a later success whose Job is gone",
    { api: BATCH, ...MISSED, status: { lastSuccessfulTime: "2026-03-10T10:21:00Z" } },
    "Waiting",
  ],
  [
    "a run that is too late, and the end of a success that began before it",
    {
      api: BATCH,
      ...MISSED,
      jobs: [{ name: "by-hand", state: "succeeded", created: "09:59", ended: "10:21" }],
      status: { lastSuccessfulTime: "2026-03-10T10:21:00Z" },
    },
    MISSED_AT_10,
    "RunNow",
  ],
  [
    "a run that is too late, and a success by hand that began before it",
    {
      ...MISSED,
      jobs: [{ name: "by-hand", state: "succeeded", created: "09:59", ended: "10:21" }],
    },
    MISSED_AT_10,
    "RunNow",
  ],
  [
    "Forbid, and a run that takes long",
    { now: "10:30", last: "09:00", spec: FORBID, jobs: [{ time: "09:00", name: "long" }] },
    "Blocked 10:00: JobAlreadyActive waits for long: starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)",
    "Wait long, DeleteJob long",
  ],
  ["Forbid, and a run that takes no longer than the one before", runAfter("10:01"), HELD_BACK, "Wait slow"],
  ["Forbid, and a run that takes thrice as long", runAfter("09:21"), HELD_BACK, "Wait slow, DeleteJob slow"],
  [
    "Forbid, and a run whose Pod never started",
    { now: "10:30", last: "09:00", spec: FORBID, jobs: [{ time: "09:00", name: "stuck" }], pods: [STUCK] },
    'Blocked 10:00: ImagePullBackOff waits for stuck: its Pod has not started: ImagePullBackOff: Back-off pulling image "report:1.9"; starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)',
    "CorrectImage, DeleteJob stuck, SetPendingTimeout",
  ],
  [
    "Forbid, and a run whose Pod never started, which a timeout ends: another one is not proposed",
    {
      now: "10:30",
      last: "09:00",
      spec: { concurrencyPolicy: "Forbid", pendingTimeoutSeconds: 8 },
      jobs: [{ time: "09:00", name: "stuck" }],
      pods: [STUCK],
    },
    'Blocked 10:00: ImagePullBackOff waits for stuck: its Pod has not started: ImagePullBackOff: Back-off pulling image "report:1.9"; starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)',
    "CorrectImage, DeleteJob stuck",
  ],
  [
    "Forbid with a deadline that is over, and a run that takes long",
    {
      now: "10:30",
      last: "09:00",
      spec: { concurrencyPolicy: "Forbid", startingDeadlineSeconds: 60 },
      jobs: [{ time: "09:00", name: "long" }],
    },
    "Blocked 10:00: JobAlreadyActive long holds runs back (concurrencyPolicy Forbid)",
    "Wait long, DeleteJob long",
  ],
  [
    "Queue, and a run that takes long",
    { now: "10:30", last: "09:00", spec: QUEUE, jobs: [{ time: "09:00", name: "long" }] },
    "Blocked 10:00: JobQueued waits for long: starts when it ends, unless a later time comes first (concurrencyPolicy Queue)",
    "Wait long, DeleteJob long",
  ],
  [
    "a Pod that does not start",
    { now: "09:01", last: "09:00", jobs: [{ time: "09:00", name: "stuck" }], pods: [STUCK] },
    'Pending 09:00: ImagePullBackOff its Pod has not started: ImagePullBackOff: Back-off pulling image "report:1.9"',
    "CorrectImage, DeleteJob stuck",
  ],
  [
    "a Pod that does not start, of a Job that was suspended at first",
    { now: "09:02", last: "09:00", jobs: [{ time: "09:00", started: "09:01", name: "stuck" }], pods: [STUCK] },
    'Pending 09:01: ImagePullBackOff its Pod has not started: ImagePullBackOff: Back-off pulling image "report:1.9"',
    "CorrectImage, DeleteJob stuck",
  ],
  [
    "a Pod that its machine refuses",
    {
      now: "10:01",
      last: "10:00",
      jobs: [{ time: "10:00", name: "stuck", failedPods: 1 }],
      pods: [{ ...STUCK, waiting: { reason: "NotAllowed", message: "no hostPath" } }],
    },
    'Pending 10:00: NotAllowed its Pod has not started: NotAllowed: "no hostPath"',
    "CorrectSpec, DeleteJob stuck",
  ],
  [
    "a run that failed",
    { now: "09:30", last: "09:00", jobs: [{ time: "09:00", name: "broken", state: "failed" }], pods: [FAILED] },
    "Failing 09:01: Error exit 1",
    "ReadLogs broken, RunNow",
  ],
  [
    "a run that failed, and no Pods to read",
    {
      now: "09:30",
      last: "09:00",
      jobs: [{ time: "09:00", name: "broken", state: "failed" }],
    },
    "Failing 09:01: BackoffLimitExceeded its Pods failed",
    "ReadLogs broken, RunNow",
  ],
  [
    "failures that the status counts since long ago",
    {
      now: "09:30",
      last: "09:00",
      status: {
        counts: { succeeded: 0, failed: 9, missed: 0, skipped: 0, consecutiveFailures: 9 },
        conditions: [condition("Failing", "True", "JobFailed", "01:00")],
      },
    },
    "Failing 01:00: JobFailed the run failed",
    "RunNow",
  ],
  [
    "a suspended CronJob whose last run failed",
    { now: "09:30", last: "09:00", spec: { suspend: true }, jobs: [{ time: "09:00", state: "failed" }] },
    "Suspended: Suspended spec.suspend is true",
    "Unsuspend",
  ],
  [
    "a CronJob that was suspended at a known time",
    { now: "10:30", last: "09:00", spec: { suspend: true }, written: [{ at: "09:10", fields: ["suspend"] }] },
    "Suspended 09:10: Suspended spec.suspend is true",
    "Unsuspend",
  ],
  [
    "one whose spec.suspend is a pause",
    pausedBySuspend(),
    "Suspended: Suspended spec.suspend is true, by ana",
    "Resume",
  ],
  [
    "one whose pause has ended, and which is suspended all the same",
    pausedBySuspend("2026-03-10T10:00:00Z"),
    "Suspended: Suspended spec.suspend is true",
    "Unsuspend",
  ],
  [
    "a paused one that someone else has suspended too",
    {
      ...pausedBySuspend(),
      written: [{ at: "09:20", fields: ["suspend"] }],
    },
    "Suspended 09:20: Suspended spec.suspend is true, by ana",
    "Unsuspend",
  ],
  [
    "a paused CronJob",
    {
      now: "10:30",
      last: "09:00",
      spec: { pause: { until: "2026-03-10T12:00:00Z", reason: "migration" } },
    },
    "Paused: Paused migration, until 12:00",
    "EndPauseInSpec",
  ],
  [
    "a schedule whose date never comes",
    {
      now: "10:30",
      schedule: "0 0 31 2 *",
    },
    'Invalid: InvalidSchedule spec.schedule: "0 0 31 2 *" never comes: no year has 31 February',
    "CorrectSpec",
  ],
  [
    "a schedule that cannot be read",
    {
      now: "10:30",
      schedule: "every day",
      status: { conditions: [condition("Stalled", "True", "UnparseableSchedule", "09:15")] },
    },
    'Invalid 09:15: UnparseableSchedule spec.schedule: schedule "every day": has 2 fields; must be ' +
    'five fields, "minute hour day-of-month month day-of-week", or a descriptor such as @daily',
    "CorrectSpec",
  ],
  [
    "times that leave no room for each other",
    {
      now: "10:30",
      spec: { startTime: "2026-03-11T00:00:00Z", endTime: "2026-03-10T00:00:00Z" },
    },
    "Invalid: NoScheduledTime spec.startTime is after spec.endTime",
    "CorrectSpec",
  ],
  [
    "more missed runs than the tutorial takes",
    { schedule: "* * * * *", now: "12:30", last: "09:00", created: "08:30" },
    "Stopped: TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    "SetStartingDeadline",
  ],
  [
    "an adopted CronJob that is not suspended",
    { api: BATCH, now: "10:30", annotations: { "cronjob-controller.dev/managed": "true" } },
    'Contested: NotSuspended annotation cronjob-controller.dev/managed is "true" but spec.suspend is not true, so ' +
    "kube-controller-manager runs this CronJob: it is left alone until spec.suspend is true, or the annotation is gone",
    "SuspendInSpec, Release",
  ],
  [
    "an adopted one that is going back",
    {
      api: BATCH,
      now: "10:30",
      spec: { suspend: true },
      annotations: { "cronjob-controller.dev/managed": "releasing" },
    },
    "Stopped: Releasing The CronJob is being released",
    "Release",
  ],
  ["an adopted one, whose spec.suspend is for others", {
    api: BATCH,
    now: "10:30",
    last: "10:00",
    spec: { suspend: true },
    annotations: { "cronjob-controller.dev/managed": "true" },
  }, "Waiting"],
  [
    "an adopted one that is paused, which its annotation says",
    {
      api: BATCH,
      now: "10:30",
      last: "10:00",
      spec: { suspend: true },
      annotations: { "cronjob-controller.dev/managed": "true", "cronjob-controller.dev/suspend": "true" },
    },
    'Suspended: Suspended annotation cronjob-controller.dev/suspend is "true"',
    "Unsuspend",
  ],
  [
    "one that another controller runs too",
    {
      now: "10:30",
      last: "10:00",
      events: [event("MultipleControllers", "Another controller runs this CronJob as well: it made a Job", "10:10")],
    },
    "Contested 10:10: MultipleControllers Another controller runs this CronJob as well: it made a Job",
    "LookAtController",
  ],
  [
    "one whose time is over",
    { now: "10:30", last: "09:00", spec: { endTime: "2026-03-10T09:30:00Z" } },
    "Ended 09:30: Ended spec.endTime has passed",
  ],
  [
    "one that is being deleted",
    { now: "10:30", last: "09:00", deleting: true },
    "Ended 10:30: Deleting The CronJob is being deleted",
  ],
  [
    "one that is paused after failures",
    {
      now: "10:30",
      last: "10:00",
      spec: { pauseAfterFailures: 1 },
      jobs: [{ time: "10:00", name: "broken", state: "failed" }],
    },
    "Stopped 10:01: PausedAfterFailures its Pods failed. Nothing starts, as 1 runs failed in a row: a run by hand that succeeds, a change of the spec, or a new value of the annotation cronjob-controller.dev/resume ends that",
    "RunNow, ResumeHalted",
  ],
  [
    "one that is paused after failures, of which no back-fill is one",
    {
      now: "10:30",
      last: "10:00",
      spec: { pauseAfterFailures: 1 },
      jobs: [{ time: "10:00", name: "broken", state: "failed", failure: "Out of disk." }],
      status: {
        recentRuns: [{
          scheduledTime: "2026-03-10T09:00:00Z",
          trigger: "Backfill",
          outcome: "Failed",
          jobName: "past",
          startTime: "2026-03-10T10:10:00Z",
          endTime: "2026-03-10T10:11:00Z",
          message: "another fault",
        }],
      },
    },
    "Stopped 10:01: PausedAfterFailures Out of disk. Nothing starts, as 1 runs failed in a row: a run by hand that succeeds, a change of the spec, or a new value of the annotation cronjob-controller.dev/resume ends that",
    "RunNow, ResumeHalted",
  ],
  [
    "one whose API server has forgotten records",
    { now: "10:30", last: "10:00", status: { recordLost: { since: "2026-03-10T10:10:00Z", resume: "" } } },
    "Stopped 10:10: RecordLost Nothing starts, as the API server has forgotten what this controller wrote, as after a restore from a backup: resume, or a new value of the annotation cronjob-controller.dev/resume, ends that",
    "ResumeHalted",
  ],
];

table(
  "each state is shown with its cause and its remedy",
  ROWS,
  ({ api = TUTORIAL, pods, events, ...given }, state, actions = "") => {
    const { cronJob, jobs, now } = world(api, given);
    const view = viewOf({ cronJob, jobs, pods, events, now });
    const since = view.since === undefined ? "" : ` ${clockOf(view.since)}`;
    const cause = view.cause ? `: ${view.cause.reason} ${view.cause.message}` : "";
    const shown = view.actions.map((action) => [action.do, "job" in action && action.job].filter(Boolean).join(" "));
    assertEquals([`${view.state}${since}${cause}`, shown.join(", ")].map(inShort), [state, actions]);
  },
);

test("where a controller leads, its log is where to look for why a run was not started", () => {
  const { cronJob, jobs, now } = world(TUTORIAL, { now: "10:02", last: "09:00" });
  const runner = { by: "cronjob-controller", leads: "yes", why: "replica-1 leads" } as const;
  assertEquals(
    viewOf({ cronJob, jobs, runner, events: [], now }).cause?.message,
    "It was not started; no Event says why: a controller leads, so read its log",
  );
});

const COUNTED = { succeeded: 0, failed: 9, missed: 0, skipped: 0, consecutiveFailures: 9 };
const FAILURE: Seen = { now: "10:30", last: "10:00", jobs: [{ time: "10:00", state: "failed" }] };

table("failures in a row are those that are known, and at least those where history keeps no more", [
  ["by the counts of a status", {
    now: "10:30",
    last: "10:00",
    spec: { failedJobsHistoryLimit: 1 },
    status: { counts: COUNTED },
  }, { count: 9, atLeast: false }],
  ["none where none failed", { now: "10:30", last: "10:00", api: BATCH }, { count: 0, atLeast: false }],
  ["by as many Jobs as are kept", { ...FAILURE, api: BATCH }, { count: 1, atLeast: true }],
  ["by runs that are remembered", { ...FAILURE, api: BATCH, remembered: ["09:00"] }, { count: 2, atLeast: false }],
], ({ api = TUTORIAL, remembered = [], ...given }: Seen & { remembered?: string[] }, failures: FailuresView) => {
  const { cronJob, jobs, now } = world(api, given);
  const kept = remembered.map((time) => keptRun(time, { outcome: "Failed" }));
  assertEquals(viewOf({ cronJob, jobs, kept, now }).failuresInARow, failures);
});

test("a run whose Job was deleted has no known end: its record has the moment at which that was seen", () => {
  const deleted: RunRecord = {
    scheduledTime: "2026-03-10T10:00:00Z",
    trigger: "Schedule",
    outcome: "Deleted",
    jobName: "gone",
    endTime: "2026-03-10T10:20:00Z",
  };
  const { cronJob, jobs, now } = world(TUTORIAL, { now: "10:30", last: "10:00", status: { recentRuns: [deleted] } });
  const [run] = viewOf({ cronJob, jobs, now }).lastRuns;
  assertEquals([run?.outcome, run?.endedAt], ["Unknown", undefined]);
});

const NULLS = { conditions: null } as unknown as CronJobStatus;
const STUCK_JOB = { last: "10:00", jobs: [{ time: "10:00", name: "stuck" }] };
const MINUTELY = { schedule: "* * * * *", ...STUCK_JOB, spec: FORBID };
const TOO_LATE = { schedule: "* * * * *", last: "10:00", spec: { startingDeadlineSeconds: 10 } };

const ATTENTION: readonly (readonly [sentence: string, seen: Seen, needsAttention: boolean])[] = [
  ["a run of each minute that is held back for four minutes", { ...MINUTELY, now: "10:05" }, false],
  ["a run of each minute that is held back for longer", { ...MINUTELY, now: "10:07" }, true],
  ["an hourly run that is held back for ten minutes", { ...STUCK_JOB, spec: FORBID, now: "11:10" }, false],
  ["an hourly run that is held back for longer", { ...STUCK_JOB, spec: FORBID, now: "11:16" }, true],
  ["runs that wait in a Queue for hours", { ...STUCK_JOB, spec: QUEUE, now: "13:30" }, false],
  ["runs that wait for a Pod that cannot start", { ...MINUTELY, spec: QUEUE, now: "10:02", pods: [STUCK] }, true],
  ["a run that was missed a minute ago", { ...TOO_LATE, now: "10:01:30" }, false],
  ["runs that have been missed for six minutes", { ...TOO_LATE, now: "10:06:30" }, true],
  ["an hourly run that was missed just now", { ...TOO_LATE, schedule: "0 * * * *", now: "11:01" }, true],
  ["a run that was missed just after a pause", { ...TOO_LATE, now: "10:06:30", ...pausedUntil("10:05") }, false],
  ["a run that was missed just after a suspension", {
    ...TOO_LATE,
    now: "10:06:30",
    written: [{ at: "10:05", fields: ["suspend"] }],
  }, false],
  ["a run that failed", { now: "10:30", last: "10:00", jobs: [{ time: "10:00", state: "failed" }] }, true],
];

table("only what lasts needs attention", ATTENTION, ({ api = TUTORIAL, pods, events, ...given }, expected) => {
  const { cronJob, jobs, now } = world(api, given);
  const { state, needsAttention } = viewOf({ cronJob, jobs, pods, events, now });
  assertEquals(needsAttention, expected, state);
});

table("the remedy for a Pod that cannot start is that of what its node says", [
  ["a Secret", "CreateContainerConfigError", 'secret "db" not found', "CreateMissing"],
  ["a key", "CreateContainerConfigError", "couldn't find key pw in Secret default/db", "CreateMissing"],
  ["root", "CreateContainerConfigError", "container has runAsNonRoot and image will run as root", "CorrectSpec"],
  ["a slow node", "CreateContainerConfigError", "failed to sync secret cache: timed out waiting", undefined],
  ["a volume", "ContainerCreating", 'configmap "conf" not found', "CreateMissing"],
  ["a sandbox", "ContainerCreating", "Failed to create pod sandbox: address already in use", undefined],
], (reason: string, message: string, first: string | undefined) => {
  const { cronJob, jobs, now } = world(TUTORIAL, { ...STUCK_JOB, spec: FORBID, now: "11:16" });
  const { actions } = viewOf({ cronJob, jobs, pods: [waitingPod("stuck", reason, message)], now });
  const expected = first === undefined ? ["DeleteJob", "SetPendingTimeout"] : [first, "DeleteJob"];
  assertEquals(actions.map((action) => action.do), expected);
});

test("what a foreign server wrote as null is read as absent", () => {
  const { cronJob, jobs, now } = world(BATCH, { now: "10:02", last: "09:00", status: NULLS });
  assertEquals(viewOf({ cronJob, jobs, now }).state, "Overdue");
});
