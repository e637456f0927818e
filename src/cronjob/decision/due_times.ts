import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { missed } from "../../schedule/missed_times.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { stableHash } from "../../schedule/stable_hash.ts";
import type { Settings } from "../api/settings.ts";
import type { Block, DueTimes, StartPoint } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import { restarted } from "./start_point.ts";

/** As the tutorial and upstream have it: more missed runs than this are suspicious. */
const TOO_MANY = 100;

const NONE = { due: undefined, latest: undefined, tooLate: undefined, tooMany: false, next: undefined };

/** Finds the missed and the next run. */
export function findDueTimes(
  input: DecisionInput,
  { start, block }: { start: StartPoint; block: Block | undefined },
): DueTimes {
  const found = lookFrom(start, input, block);
  const { observedGeneration } = input.cronJob.status;
  const specChanged = observedGeneration !== undefined && observedGeneration !== input.cronJob.metadata.generation;
  // Counting starts anew with a changed spec, from its change on.
  return found.stopped && specChanged ? lookFrom(restarted(start, input), input, block) : found;
}

function lookFrom(start: StartPoint, { cronJob, facts, now }: DecisionInput, block: Block | undefined): DueTimes {
  const { settings, recorded, flavour } = cronJob;
  const pauseEnd = settings.pause?.until;
  const decidedUntil = Math.max(
    start.after,
    recorded.recordedUntil ?? -Infinity,
    facts?.decidedUntil ?? -Infinity,
    recorded.queuedTime ?? -Infinity,
    pauseEnd !== undefined && pauseEnd <= now ? pauseEnd : -Infinity,
  );
  const offsetMs = spreadOffsetMs(settings, cronJob.metadata.uid);
  const found = { start, decidedUntil, offsetMs };
  const reading = cronJob.schedule;
  if (block || reading.kind === "problem") return { ...found, ...NONE, schedule: undefined, stopped: false };

  const schedule = reading.schedule.anchoredAt(start.anchor);
  const times = findTimes(schedule, settings, { after: start.after, decidedUntil, now, offsetMs });
  const stops = flavour.onTooManyMissed === "Stop" && settings.latenessMs === undefined &&
    settings.catchUp === "Latest";
  if (times.tooMany && stops) return { ...found, ...NONE, tooLate: times.due, schedule, stopped: true };
  // A queued run doesn't become too late by waiting; a newer one takes its place.
  const waiting = recorded.queuedTime !== undefined && recorded.queuedTime > start.after
    ? recorded.queuedTime
    : undefined;
  const due = times.due ?? waiting;
  return { ...found, ...times, due, tooLate: due === undefined ? times.latest : undefined, schedule, stopped: false };
}

interface Window {
  /** Nothing at or before it is started. */
  readonly after: EpochMs;
  readonly decidedUntil: EpochMs;
  readonly now: EpochMs;
  readonly offsetMs: number;
}

function findTimes(schedule: Schedule, settings: Settings, { after, decidedUntil, now, offsetMs }: Window) {
  const end = settings.endTime ?? Infinity;
  const until = Math.min(now - offsetMs, end);
  const startableFrom = Math.max(after, settings.latenessMs === undefined ? after : now - settings.latenessMs - 1);
  const { latest } = missed(schedule, after, until);
  const startable = latest !== undefined && latest > startableFrom;
  const due = !startable
    ? undefined
    : settings.catchUp === "All"
    ? oldestDue(schedule, startableFrom, until, settings.maxCatchUpRuns)
    : latest;
  const next = schedule.next(Math.max(after, now - offsetMs));
  return {
    due,
    latest,
    tooMany: latest !== undefined && missed(schedule, Math.max(startableFrom, decidedUntil), until).count > TOO_MANY,
    next: next !== undefined && next <= end ? next : undefined,
  };
}

/** The oldest of the newest `maxRuns` runs in (after, until]. */
function oldestDue(schedule: Schedule, after: EpochMs, until: EpochMs, maxRuns: number): EpochMs | undefined {
  const { latest, count, capped } = missed(schedule, after, until);
  if (latest === undefined) return undefined;
  if (!capped && count <= maxRuns) return schedule.next(after);
  let oldest = latest;
  for (let left = maxRuns - 1; left > 0; left--) oldest = schedule.previous(oldest) ?? oldest;
  return oldest;
}

/** How long after each of its scheduled times this CronJob starts: always the same, and before the deadline has passed. */
function spreadOffsetMs({ spreadSeconds, latenessMs }: Settings, uid: string): number {
  const window = Math.min(spreadSeconds, latenessMs === undefined ? Infinity : latenessMs / 1000);
  return window < 1 ? 0 : stableHash(uid) % Math.floor(window) * 1000;
}
