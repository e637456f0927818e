import { pauseEnd } from "../../cronjob/api/pause.ts";
import { type EpochMs, parseTime } from "../../schedule/epoch_ms.ts";
import type { Look } from "../look.ts";

/** Returns the pause that was on at a time, and has ended, as far as the last one that is recorded goes. */
export function pauseOver(
  { input: { cronJob: { settings: { pause } }, now } }: Look,
  time: EpochMs,
): { readonly ended: EpochMs; readonly message: string } | undefined {
  const ended = pauseEnd(pause, now);
  const since = pause?.since;
  return ended !== undefined && since !== undefined && since < time && time <= ended
    ? { ended, message: pause!.message }
    : undefined;
}

/** Returns whether it is recorded that a later time was started, and this one was not. */
export function isPassedOver({ input: { cronJob } }: Look, time: EpochMs): boolean {
  return cronJob.passedOver.some(({ after, before }) => after < time && time < before);
}

/**
 * From when on the schedule was surely followed as it is now, whenever a controller worked: before that it may have been
 * another one, or have been suspended. A status shows that; without one it may have changed anything by the last edit.
 */
export function followedSince({ input: { cronJob }, findings: { start } }: Look): EpochMs {
  const { flavour, status, specWrittenAt, createdAt = -Infinity, metadata: { generation = 1 } } = cronJob;
  if (!flavour.openStatus) return generation === 1 ? createdAt : specWrittenAt ?? Infinity;
  const ready = status.conditions?.find(({ type, status }) => type === "Ready" && status === "True");
  const written = start.parts.map(({ since }) => since);
  return Math.max(parseTime(ready?.lastTransitionTime) ?? -Infinity, ...written, createdAt);
}
