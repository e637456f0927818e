import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import type { ConditionReason } from "../api/reasons.ts";
import type { DueTimes, Findings, Obstacle } from "./findings.ts";
import type { DecisionInput } from "./input.ts";

type Rule = (input: DecisionInput, due: DueTimes) => Obstacle | undefined;

/** In this order; the first that objects is the reason. */
const RULES: readonly Rule[] = [endsBeforeItStarts, everythingExcluded, noScheduledTime, noTimeToStart, spreadTooLong];

/** No run is planned for so long after its time. */
const LONGEST_SPREAD_MS = 366 * 86_400_000;

/** Returns why no run can ever start, although the schedule is followed: what the spec says does not go together. */
export function findObstacle(input: DecisionInput, due: DueTimes): Obstacle | undefined {
  for (const rule of RULES) {
    const obstacle = rule(input, due);
    if (obstacle) return obstacle;
  }
  return undefined;
}

/** Returns whether the time that the spec gives the schedule is over. */
export function hasEnded({ cronJob: { settings: { endTime } }, now }: DecisionInput): boolean {
  return endTime !== undefined && endTime < now;
}

function endsBeforeItStarts({ cronJob: { settings } }: DecisionInput): Obstacle | undefined {
  const { startTime, endTime } = settings;
  if (startTime === undefined || endTime === undefined || startTime <= endTime) return undefined;
  return { reason: "NoScheduledTime", message: "spec.startTime is after spec.endTime" };
}

/** A schedule whose last run is behind has done what it was asked for. */
function noScheduledTime(input: DecisionInput, { schedule, start }: DueTimes): Obstacle | undefined {
  const { lastScheduleTime, floor } = start;
  if (!schedule || hasEnded(input) || (lastScheduleTime !== undefined && lastScheduleTime > floor)) return undefined;
  const { endTime } = input.cronJob.settings;
  const first = schedule.next(floor);
  if (first !== undefined && first <= (endTime ?? Infinity)) return undefined;
  const until = endTime === undefined
    ? "no scheduled time comes"
    : `no scheduled time comes until ${formatTime(endTime)}`;
  return { reason: "NoScheduledTime", message: `After ${formatTime(floor)} ${until}` };
}

function everythingExcluded(
  { cronJob: { settings } }: DecisionInput,
  { schedule, next }: DueTimes,
): Obstacle | undefined {
  if (!schedule || next !== undefined || settings.exclude.length === 0 || settings.endTime !== undefined) {
    return undefined;
  }
  return { reason: "Excluded", message: "Every scheduled time to come is excluded" };
}

function noTimeToStart(input: DecisionInput): Obstacle | undefined {
  if (input.cronJob.settings.startingDeadlineMs !== 0 || hasEnded(input)) return undefined;
  return {
    reason: "NoTimeToStart",
    message: "The deadline of 0 s leaves a run no time to start: it would have to in the very millisecond",
  };
}

function spreadTooLong(input: DecisionInput, { offsetMs }: DueTimes): Obstacle | undefined {
  if (offsetMs <= LONGEST_SPREAD_MS || hasEnded(input)) return undefined;
  const days = Math.floor(offsetMs / 86_400_000);
  return { reason: "SpreadTooLong", message: `spreadSeconds has each run start ${days} days after its scheduled time` };
}

/** Why no run of the schedule starts. */
export interface Standstill {
  readonly reason: ConditionReason<"Ready">;
  readonly message: string;
  /** Whether its author has to end it. */
  readonly isFault?: boolean;
  /** When it ends by itself. */
  readonly until?: EpochMs | undefined;
}

export const TOO_MANY_MISSED =
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";

/** Returns why no run of the schedule starts; undefined where they do. */
export function standstillOf({ block, due, obstacle }: Findings): Standstill | undefined {
  if (block) return block;
  if (due.stopped) return { reason: "TooManyMissedTimes", message: TOO_MANY_MISSED, isFault: true };
  return obstacle && { ...obstacle, isFault: true };
}
