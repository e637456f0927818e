import { stableHash } from "../../schedule/stable_hash.ts";
import type { Settings } from "../api/settings.ts";

/** How long after each of its scheduled times this CronJob starts: always the same, and before the deadline has passed. */
export function spreadOffsetMs({ spreadSeconds, latenessMs }: Settings, uid: string): number {
  const window = Math.min(spreadSeconds, latenessMs === undefined ? Infinity : latenessMs / 1000);
  return window < 1 ? 0 : stableHash(uid) % Math.floor(window) * 1000;
}
