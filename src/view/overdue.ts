import type { CronJob } from "../cronjob/api/cron_job.ts";
import { CLOCK_TOLERANCE_MS } from "../cronjob/api/job.ts";
import type { Findings } from "../cronjob/decision/findings.ts";
import { restedUntil } from "../cronjob/decision/start_point.ts";
import { type EpochMs, latest } from "../base/epoch_ms.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { scheduleAnnotatedAt } from "./explain/earlier_schedule.ts";
import type { Look, ViewInput } from "./look.ts";
import { whereToLook } from "./runner.ts";

/** Returns since when, and why, a due run has no Job although nothing holds it back; undefined without such a run. */
export function overdue({ input, findings }: Look) {
  const { scheduled, due, start } = findings;
  if (scheduled.kind !== "start" || !due.schedule) return undefined;
  const { cronJob, events, now, runner } = input;
  const { scheduledTime } = scheduled.request;
  const first = due.schedule.next(Math.max(start.open[0].after, start.floor)) ?? scheduledTime;
  const since = freeSince(findings, first);
  const refusal = whyRefused(input, first);
  if (refusal !== undefined) return { since, cause: { reason: "FailedCreate", message: refusal } };
  const startsAt = Math.max(since, cronJob.specWrittenAt ?? -Infinity);
  if (now - startsAt < CLOCK_TOLERANCE_MS || mayPrecedeEdit(cronJob, due.schedule, scheduledTime)) return undefined;
  const why = events ? `no Event says why: ${whereToLook(runner)}` : "why is not known without Events";
  return { since, cause: { reason: "NotStarted", message: `It was not started; ${why}` } };
}

/** How long after a time was due a missing Job of `status.active` counts as deleted just now. */
const NEWS_MS = 15 * 60_000;

/**
 * Returns since when nothing holds back the run of a scheduled time: no rest, and no run that was active when it was due.
 */
export function freeSince(findings: Findings, time: EpochMs): EpochMs {
  const { input: { cronJob: { settings, status }, now }, children, due } = findings;
  const isLimited = due.line !== undefined || (settings.maxActive !== Infinity && settings.policy !== "Replace");
  const ends = isLimited ? children.map(({ endTime = -Infinity }) => endTime) : [];
  const startsAt = Math.max(time + due.offsetMs, restedUntil(findings), ...ends);
  // No controller has seen yet that the Job of an active run is gone.
  const isNews = status.active?.some(({ uid }) => children.every(({ metadata }) => metadata.uid !== uid));
  return isLimited && isNews && now - startsAt < NEWS_MS ? now : startsAt;
}

/** Returns why a Job could not be created since a time, as far as an Event, or else the status, says. */
export function whyRefused({ cronJob: { metadata: { uid }, status }, events }: ViewInput, time: EpochMs) {
  const told = events?.findLast(({ reason, lastAt, regardingUid }) =>
    reason === "FailedCreate" && lastAt >= time && regardingUid === uid
  );
  // Another version of the program may have written null for the conditions.
  const recorded = status.conditions?.find(({ type, status, reason }) =>
    type === "Overdue" && status === "True" && reason === "FailedCreate"
  );
  return (told ?? recorded)?.message;
}

/**
 * Returns whether only a witness of an edit can know that this time is not to be started: a time that was due before an edit
 * was seen is not, and a closed status does not record edits. The next time after the edit starts in any case; of an interval,
 * which an edit may have begun anew, the second.
 */
export function mayPrecedeEdit(cronJob: CronJob, schedule: Schedule, scheduledTime: EpochMs): boolean {
  const { flavour, metadata, createdAt = Infinity, scheduleEditedAt, lastScheduleWrittenAt = -Infinity } = cronJob;
  if (flavour.openStatus) return false;
  const annotatedAt = scheduleAnnotatedAt(cronJob) ?? -Infinity;
  const editedAt = latest(
    (metadata.generation ?? 1) === 1 ? undefined : scheduleEditedAt,
    annotatedAt > createdAt ? annotatedAt : undefined,
  );
  if (editedAt === undefined) return false;
  return scheduledTime <= lastScheduleWrittenAt ||
    schedule.count(editedAt, scheduledTime) < (schedule.everyMs === undefined ? 1 : 2);
}
