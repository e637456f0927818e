import type { DeepReadonly } from "../../kube/object.ts";
import { type EpochMs, formatTime, parseTime } from "../../schedule/epoch_ms.ts";
import { SUSPEND } from "../api/annotations.ts";
import type { CronJobApi } from "../api/flavour.ts";
import type { Child } from "../api/job.ts";
import { regimeOf } from "../api/stewardship.ts";
import type { Settings } from "../api/settings.ts";
import { annotationWrittenAt, specWrittenAt } from "../api/spec_writes.ts";
import type { CronJobObject, ObservedSchedule } from "../api/types.ts";
import type { World } from "./plan.ts";

/** From when on the schedule counts. */
export interface Since {
  /** The newest scheduled time that has, or had, its Job. */
  readonly lastScheduleTime: EpochMs | undefined;
  /** Where an `@every` schedule counts from. */
  readonly anchor: EpochMs;
  /** Where it counted from as far as the status tells: what has been started since then is on that grid too. */
  readonly toldAnchor: EpochMs;
  /** No scheduled time at or before it counts, whatever has been started since. */
  readonly floor: EpochMs;
  /** No scheduled time at or before it is started. */
  readonly since: EpochMs;
  /** For `status.schedule`. */
  readonly observed: ObservedSchedule;
}

/** Reasons of the condition `Ready` after which `onResume: None` drops what came due. */
const RESTING = ["Suspended", "Paused"];

export function findSince(world: World, settings: Settings, children: readonly Child[]): Since {
  const { api, cronJob, memory, now } = world;
  const lastScheduleTime = latest(
    parseTime(cronJob.status?.lastScheduleTime),
    memory?.startedUntil,
    ...children.map((child) => child.scheduledTime),
  );
  const creation = parseTime(cronJob.metadata.creationTimestamp) ?? now;
  const started = lastScheduleTime ?? creation;
  const observed = observe(world, settings, started);
  const holdsFrom = api.openStatus ? parseTime(observed.since) : memory?.editedAt;
  const { pause, startTime } = settings;
  const floor = latest(
    creation,
    holdsFrom,
    settings.dropsOnEdit ? specWrittenAt(cronJob, ["schedule", "timeZone"]) : undefined,
    settings.dropsOnResume ? pauseWrittenAt(world) : undefined,
    settings.dropsOnResume && pause?.until !== undefined && pause.until <= now ? pause.until : undefined,
    startTime === undefined ? undefined : startTime - 1,
  )!;
  return {
    lastScheduleTime,
    anchor: latest(started, holdsFrom)!,
    toldAnchor: latest(parseTime(cronJob.status?.lastScheduleTime) ?? creation, holdsFrom)!,
    floor,
    since: latest(floor, lastScheduleTime === undefined ? undefined : endOfUnit(lastScheduleTime, api))!,
    observed,
  };
}

/** When somebody last wrote what pauses it, as far as can be known. */
export function pauseWrittenAt({ api, cronJob, memory }: World): EpochMs | undefined {
  switch (regimeOf(api, cronJob).suspendedIn) {
    case "spec":
      return specWrittenAt(cronJob, ["suspend", "pause"]);
    case "annotation":
      // Of one that was taken away there is no record.
      return annotationWrittenAt(cronJob, SUSPEND) ?? memory?.resumedAt;
  }
}

/** Another scheduled time in the same unit would have the same Job name: it counts as done. */
function endOfUnit(instant: EpochMs, { nameUnitSeconds }: CronJobApi): EpochMs {
  const unit = nameUnitSeconds * 1000;
  return Math.floor(instant / unit) * unit + unit - 1;
}

/** Counting starts anew when schedule or zone are not what they were, or a rest ends whose runs are to be dropped. */
function observe({ cronJob, now }: World, settings: Settings, started: EpochMs): ObservedSchedule {
  const zone = settings.timeZone === undefined ? {} : { timeZone: settings.timeZone };
  const text = { text: settings.schedule, ...zone };
  const before = cronJob.status?.schedule;
  if (!before) return { ...text, since: formatTime(firstSince(cronJob, now)) };
  const edited = before.text !== settings.schedule || before.timeZone !== settings.timeZone;
  const resumed = settings.dropsOnResume && !isResting(settings, now) && wasResting(cronJob);
  return { ...text, since: edited || resumed ? formatTime(editTime(cronJob, now, started)) : before.since };
}

/** Since when the schedule holds that no status tells of yet: as far as can be known, it may have been edited since the creation. */
function firstSince(cronJob: DeepReadonly<CronJobObject>, now: EpochMs): EpochMs {
  const { creationTimestamp, generation = 1 } = cronJob.metadata;
  const written = generation > 1 ? specWrittenAt(cronJob, ["schedule", "timeZone"]) : undefined;
  return Math.min(now, latest(parseTime(creationTimestamp), written) ?? now);
}

/** The same schedule, counted from its newest edit. */
export function restarted(since: Since, world: World): Since {
  const edit = editTime(world.cronJob, world.now, since.anchor);
  return {
    ...since,
    anchor: Math.max(since.anchor, edit),
    toldAnchor: Math.max(since.toldAnchor, edit),
    floor: Math.max(since.floor, edit),
    since: Math.max(since.since, edit),
    observed: { ...since.observed, since: formatTime(edit) },
  };
}

/** When the spec was last written: not before the last that we saw of it, and not after now. */
function editTime(cronJob: DeepReadonly<CronJobObject>, now: EpochMs, started: EpochMs): EpochMs {
  const seen = latest(started, parseTime(cronJob.status?.schedule?.since))!;
  return Math.min(now, Math.max(seen, specWrittenAt(cronJob) ?? now));
}

/** Whether it is suspended or paused. */
function isResting({ suspended, pause }: Settings, now: EpochMs): boolean {
  return suspended || (pause !== undefined && !(pause.until !== undefined && pause.until <= now));
}

/** Whether it was suspended or paused when its status was written. */
export function wasResting({ status }: DeepReadonly<CronJobObject>): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready !== undefined && ready.status === "False" && RESTING.includes(ready.reason);
}

function latest(...instants: (EpochMs | undefined)[]): EpochMs | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
