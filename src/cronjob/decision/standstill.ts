import type { EpochMs } from "../../base/epoch_ms.ts";
import type { ConditionReason } from "../api/reasons.ts";
import type { Findings } from "./findings.ts";

/** Why no run of the schedule starts. */
export interface Standstill {
  readonly reason: ConditionReason<"Ready">;
  readonly message: string;
  /** Whether its author has to end it. */
  readonly isFault?: boolean;
  /** When it ends by itself. */
  readonly until?: EpochMs;
}

export const TOO_MANY_MISSED =
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";

/** Returns why no run of the schedule starts; undefined where they do. */
export function standstillOf({ block, due, obstacle }: Findings): Standstill | undefined {
  if (block) return block;
  if (due.stopped) return { reason: "TooManyMissedTimes", message: TOO_MANY_MISSED, isFault: true };
  return obstacle && { ...obstacle, isFault: true };
}
