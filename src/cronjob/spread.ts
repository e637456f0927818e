import type { Settings } from "./settings.ts";
import { stableHash } from "./stable_hash.ts";

/** How long after each of its scheduled times this CronJob starts: always the same, and before the deadline has passed. */
export function spreadOffsetMs({ spreadSeconds, latenessMs }: Settings, uid: string): number {
  const window = Math.min(spreadSeconds, latenessMs === undefined ? Infinity : latenessMs / 1000);
  return window < 1 ? 0 : Number(stableHash(uid) % BigInt(Math.floor(window))) * 1000;
}
