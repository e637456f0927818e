import { createHash } from "node:crypto";
import type { EpochMs } from "../base/epoch_ms.ts";

/** Returns the end of the name of an Event about a scheduled time, which it names to readers of Events. */
export function eventSuffix(regardingUid: string, reason: string, scheduledTime: EpochMs): string {
  return createHash("sha256").update(`${regardingUid}\n${reason}\n${scheduledTime}`).digest("hex").slice(0, 16);
}
