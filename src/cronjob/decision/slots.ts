import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { missed } from "../../schedule/missed_times.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import type { Settings } from "../api/settings.ts";

/** What the schedule says about now. */
export interface Slots {
  /** The scheduled time to start now, if the concurrency policy lets it. */
  readonly due: EpochMs | undefined;
  /** The newest scheduled time, where none can be started any more. */
  readonly tooLate: EpochMs | undefined;
  /** More than 100 were missed. */
  readonly tooMany: boolean;
  /** The next one to come. */
  readonly next: EpochMs | undefined;
}

export const NO_SLOTS: Slots = { due: undefined, tooLate: undefined, tooMany: false, next: undefined };

export interface SlotWindow {
  /** Nothing at or before it is started. */
  readonly since: EpochMs;
  /** Everything at or before it has been started or visibly refused. */
  readonly decidedUntil: EpochMs;
  readonly now: EpochMs;
  /** How long after its scheduled time a run of this CronJob starts. */
  readonly offsetMs: number;
}

/** As the tutorial and upstream have it: more missed runs than this are suspicious. */
const TOO_MANY = 100;

export function findSlots(schedule: Schedule, settings: Settings, window: SlotWindow): Slots {
  const { since, decidedUntil, now, offsetMs } = window;
  const end = settings.endTime ?? Infinity;
  const until = Math.min(now - offsetMs, end);
  const startableFrom = Math.max(since, settings.latenessMs === undefined ? since : now - settings.latenessMs - 1);
  const due = settings.catchUp === "All"
    ? oldestDue(schedule, startableFrom, until, settings.maxCatchUpRuns)
    : missed(schedule, startableFrom, until).latest;
  const next = schedule.next(Math.max(since, now - offsetMs));
  return {
    due,
    tooLate: due === undefined ? missed(schedule, since, until).latest : undefined,
    tooMany: missed(schedule, Math.max(startableFrom, decidedUntil), until).count > TOO_MANY,
    next: next !== undefined && next <= end ? next : undefined,
  };
}

/** The oldest of the newest `maxRuns` runs in (since, until]. */
function oldestDue(schedule: Schedule, since: EpochMs, until: EpochMs, maxRuns: number): EpochMs | undefined {
  const { latest, count, capped } = missed(schedule, since, until);
  if (latest === undefined) return undefined;
  if (!capped && count <= maxRuns) return schedule.next(since);
  let oldest = latest;
  for (let left = maxRuns - 1; left > 0; left--) oldest = schedule.previous(oldest) ?? oldest;
  return oldest;
}
