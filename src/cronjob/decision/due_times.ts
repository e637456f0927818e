import { type EpochMs, parseTime } from "../../schedule/epoch_ms.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import type { Gate } from "./blockers.ts";
import { recordedUntil } from "../status/run_records.ts";
import type { Settings } from "../api/settings.ts";
import { restarted, type Since } from "./start_point.ts";
import { findSlots, NO_SLOTS, type Slots } from "./slots.ts";
import { spreadOffsetMs } from "./spread.ts";
import type { World } from "./plan.ts";

/** The missed and the next run, and what they were looked for with. */
export interface Runs {
  readonly slots: Slots;
  readonly since: Since;
  /** Bound to its anchor; undefined where the schedule is not followed. */
  readonly schedule: Schedule | undefined;
  /** So many runs were missed that none is started before the spec changes. */
  readonly stopped: boolean;
  /** Everything at or before it had been started or visibly refused before this decision. */
  readonly decidedUntil: EpochMs;
  /** How long after its scheduled time a run starts. */
  readonly offsetMs: number;
}

export function findRuns(world: World, settings: Settings, { gate, since }: { gate: Gate; since: Since }): Runs {
  const runs = lookFrom(since, world, { settings, gate });
  const { observedGeneration } = world.cronJob.status ?? {};
  const specChanged = observedGeneration !== undefined && observedGeneration !== world.cronJob.metadata.generation;
  // A changed spec is looked at afresh, from its change on.
  return runs.stopped && specChanged ? lookFrom(restarted(since, world), world, { settings, gate }) : runs;
}

function lookFrom(since: Since, world: World, { settings, gate }: { settings: Settings; gate: Gate }): Runs {
  const queued = parseTime(world.cronJob.status?.queuedScheduleTime);
  const pauseEnd = settings.pause?.until;
  const decidedUntil = Math.max(
    since.since,
    recordedUntil(world.cronJob.status ?? {}) ?? -Infinity,
    world.memory?.decidedUntil ?? -Infinity,
    queued ?? -Infinity,
    pauseEnd !== undefined && pauseEnd <= world.now ? pauseEnd : -Infinity,
  );
  const offsetMs = spreadOffsetMs(settings, world.cronJob.metadata.uid);
  const found = { since, decidedUntil, offsetMs };
  if (!gate.open) return { ...found, slots: NO_SLOTS, schedule: undefined, stopped: false };

  const schedule = gate.schedule.anchoredAt(since.anchor);
  const window = { since: since.since, decidedUntil, now: world.now, offsetMs };
  const slots = findSlots(schedule, settings, window);
  const stops = world.api.onTooManyMissed === "Stop" && settings.latenessMs === undefined &&
    settings.catchUp === "Latest";
  if (slots.tooMany && stops) return { ...found, slots: { ...NO_SLOTS, tooLate: slots.due }, schedule, stopped: true };
  // A queued run doesn't become too late by waiting; a newer one takes its place.
  const waiting = queued !== undefined && queued > since.since ? queued : undefined;
  const due = slots.due ?? waiting;
  return {
    ...found,
    slots: { ...slots, due, tooLate: due === undefined ? slots.tooLate : undefined },
    schedule,
    stopped: false,
  };
}
