import { type EpochMs, formatTime } from "../../schedule/epoch_ms.ts";
import type { CronJob } from "../api/cron_job.ts";
import type { Flavour } from "../api/flavour.ts";
import type { Child } from "../api/job.ts";
import type { Settings } from "../api/settings.ts";
import type { ObservedSchedule } from "../api/types.ts";
import type { StartPoint } from "./findings.ts";
import type { DecisionInput } from "./input.ts";

/** Finds from when on scheduled times count: after whatever started, wrote or resumed last. */
export function findStartPoint(input: DecisionInput, children: readonly Child[]): StartPoint {
  const { cronJob, facts, now } = input;
  const { flavour, settings, recorded } = cronJob;
  const lastScheduleTime = latest(
    recorded.lastScheduleTime,
    facts?.startedUntil,
    ...children.map((child) => child.scheduledTime),
  );
  const created = cronJob.createdAt ?? now;
  const started = lastScheduleTime ?? created;
  const { observed, since } = observeSchedule(cronJob, now, started);
  const holdsFrom = flavour.openStatus ? since : facts?.editedAt;
  const { pause, startTime } = settings;
  const floor = latest(
    created,
    holdsFrom,
    settings.dropsOnEdit ? cronJob.scheduleWrittenAt : undefined,
    settings.dropsOnResume ? pauseWrittenAt(input) : undefined,
    settings.dropsOnResume && pause?.until !== undefined && pause.until <= now ? pause.until : undefined,
    startTime === undefined ? undefined : startTime - 1,
  )!;
  return {
    lastScheduleTime,
    anchor: latest(started, holdsFrom)!,
    recordedAnchor: latest(recorded.lastScheduleTime ?? created, holdsFrom)!,
    floor,
    after: latest(floor, lastScheduleTime === undefined ? undefined : endOfUnit(lastScheduleTime, flavour))!,
    observed,
  };
}

/** When somebody last wrote what pauses it, as far as can be known. */
export function pauseWrittenAt({ cronJob, facts }: DecisionInput): EpochMs | undefined {
  const written = cronJob.pauseWrittenAt;
  return cronJob.stewardship.suspendedIn === "annotation" ? written ?? facts?.resumedAt : written;
}

/** Another scheduled time in the same unit would have the same Job name: it counts as done. */
function endOfUnit(instant: EpochMs, { nameUnitSeconds }: Flavour): EpochMs {
  const unit = nameUnitSeconds * 1000;
  return Math.floor(instant / unit) * unit + unit - 1;
}

/** Counting starts anew when schedule or zone are not what they were, or a rest ends whose runs are to be dropped. */
function observeSchedule(
  cronJob: CronJob,
  now: EpochMs,
  started: EpochMs,
): { observed: ObservedSchedule; since: EpochMs | undefined } {
  const { settings, recorded } = cronJob;
  const zone = settings.timeZone === undefined ? {} : { timeZone: settings.timeZone };
  const text = { text: settings.schedule, ...zone };
  const from = (since: EpochMs) => {
    const whole = Math.floor(since / 1000) * 1000;
    return { observed: { ...text, since: formatTime(whole) }, since: whole };
  };
  const before = recorded.schedule;
  if (!before || recorded.scheduleSince === undefined) return from(firstSince(cronJob, now));
  const edited = before.text !== settings.schedule || before.timeZone !== settings.timeZone;
  const resumed = settings.dropsOnResume && !isResting(settings, now) && recorded.wasResting;
  if (edited || resumed) return from(editTime(cronJob, now, started));
  return { observed: { ...text, since: before.since }, since: recorded.scheduleSince };
}

/** Since when the schedule holds that no status records yet: as far as can be known, it may have been edited since the creation. */
function firstSince(cronJob: CronJob, now: EpochMs): EpochMs {
  const { generation = 1 } = cronJob.metadata;
  const written = generation > 1 ? cronJob.scheduleWrittenAt : undefined;
  return Math.min(now, latest(cronJob.createdAt, written) ?? now);
}

/** The same schedule, counted from its newest edit. */
export function restarted(start: StartPoint, { cronJob, now }: DecisionInput): StartPoint {
  const edit = editTime(cronJob, now, start.anchor);
  return {
    ...start,
    anchor: Math.max(start.anchor, edit),
    recordedAnchor: Math.max(start.recordedAnchor, edit),
    floor: Math.max(start.floor, edit),
    after: Math.max(start.after, edit),
    observed: { ...start.observed, since: formatTime(edit) },
  };
}

/** When the spec was last written: not before the last that we saw of it, and not after now. */
function editTime(cronJob: CronJob, now: EpochMs, started: EpochMs): EpochMs {
  const seen = latest(started, cronJob.recorded.scheduleSince)!;
  return Math.min(now, Math.max(seen, cronJob.specWrittenAt ?? now));
}

/** Whether it is suspended or paused. */
function isResting({ suspended, pause }: Settings, now: EpochMs): boolean {
  return suspended || (pause !== undefined && !(pause.until !== undefined && pause.until <= now));
}

function latest(...instants: (EpochMs | undefined)[]): EpochMs | undefined {
  let newest: EpochMs | undefined;
  for (const instant of instants) {
    if (instant !== undefined && (newest === undefined || instant > newest)) newest = instant;
  }
  return newest;
}
