import type { EpochMs } from "../../base/epoch_ms.ts";
import { latestTime } from "../../schedule/latest_time.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import type { FailureRecord } from "../api/types.ts";
import { pauseEnd } from "../api/pause.ts";
import type { Block, DueTimes, OpenStretch, StartPoint } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import { lineUp } from "./line.ts";
import { queuedTime, recordedUntil } from "./recorded_times.ts";
import { spreadOffsetMs } from "./spread.ts";
import { restarted } from "./start_point.ts";

/** As the tutorial and upstream have it: more missed runs than this are suspicious. */
const TOO_MANY = 100;

const NONE = {
  due: undefined,
  line: undefined,
  latest: undefined,
  tooLate: undefined,
  tooMany: false,
  next: undefined,
};

/** Finds the run that is due, or the newest time that is too late for one, and the next run. */
export function findDueTimes(
  input: DecisionInput,
  { start, block, failures }: { start: StartPoint; block: Block | undefined; failures: FailureRecord | undefined },
): DueTimes {
  const resumedAt = failures?.resumedAt;
  const found = lookFrom(start, input, { block, resumedAt });
  const { observedGeneration } = input.cronJob.status;
  const specChanged = observedGeneration !== undefined && observedGeneration !== input.cronJob.metadata.generation;
  // Counting starts anew with a changed spec, from its change on.
  return found.stopped && specChanged ? lookFrom(restarted(start, input), input, { block, resumedAt }) : found;
}

function lookFrom(
  start: StartPoint,
  input: DecisionInput,
  { block, resumedAt }: { block: Block | undefined; resumedAt: EpochMs | undefined },
): DueTimes {
  const { cronJob, facts, now } = input;
  const { settings, flavour } = cronJob;
  const [{ after, anchor }] = start.open;
  const decidedUntil = Math.max(
    after,
    recordedUntil(input),
    facts?.decidedUntil ?? -Infinity,
    resumedAt ?? -Infinity,
    pauseEnd(settings.pause, now) ?? -Infinity,
  );
  const offsetMs = spreadOffsetMs(cronJob);
  const found = { start, decidedUntil, offsetMs };
  if (block || !start.schedule) return { ...found, ...NONE, schedule: undefined, stopped: false };

  const schedule = start.schedule.anchoredAt(anchor);
  const times = findTimes(schedule, input, found);
  const stops = flavour.onTooManyMissed === "Stop" && settings.startingDeadlineMs === Infinity &&
    settings.catchUp === "Latest";
  if (times.tooMany && stops) return { ...found, ...NONE, tooLate: times.due, schedule, stopped: true };
  // A queued run doesn't become too late by waiting; a newer one takes its place.
  const queued = queuedTime(input) ?? -Infinity;
  const due = times.due ?? (queued > after ? queued : undefined);
  return { ...found, ...times, due, tooLate: due === undefined ? times.latest : undefined, schedule, stopped: false };
}

function findTimes(
  schedule: Schedule,
  input: DecisionInput,
  { start, decidedUntil, offsetMs }: Pick<DueTimes, "start" | "decidedUntil" | "offsetMs">,
) {
  const { cronJob: { settings }, now } = input;
  const [{ after }] = start.open;
  const end = settings.endTime ?? Infinity;
  const until = Math.min(now - offsetMs, end);
  const startableFrom = Math.max(after, now - settings.startingDeadlineMs - 1);
  const latest = latestTime(schedule, after, until);
  const line = settings.catchUp === "All" ? lineUp(input, start, { startableFrom, until, offsetMs }) : undefined;
  const isStartable = latest !== undefined && latest > startableFrom;
  const next = nextOpen(schedule, start.open, now - offsetMs);
  return {
    due: line ? line.first : isStartable ? latest : undefined,
    line,
    latest,
    tooMany: latest !== undefined &&
      schedule.count(Math.max(startableFrom, decidedUntil), until, TOO_MANY + 1) > TOO_MANY,
    next: next !== undefined && next <= end ? next : undefined,
  };
}

/** Returns the first time after this instant that was not started yet. */
function nextOpen(schedule: Schedule, open: readonly OpenStretch[], instant: EpochMs): EpochMs | undefined {
  for (const { after, before, anchor } of open) {
    const next = schedule.anchoredAt(anchor).next(Math.max(after, instant));
    if (next !== undefined && next < before) return next;
  }
  return undefined;
}
