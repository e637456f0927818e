import { heldSince } from "../../cronjob/decision/judge.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import type { Look } from "../look.ts";

/**
 * From when on the schedule was surely followed as it is now, whenever a controller worked: before that it may have been
 * another one, or have been suspended. A status shows that; without one it may have changed anything by the last edit.
 */
export function followedSince({ input: { cronJob }, findings }: Look): EpochMs {
  const { flavour, status, specWrittenAt, createdAt = -Infinity, metadata: { generation = 1 } } = cronJob;
  if (!flavour.openStatus) return generation === 1 ? createdAt : specWrittenAt ?? Infinity;
  const ready = status.conditions?.find(({ type, status }) => type === "Ready" && status === "True");
  return Math.max(parseTime(ready?.lastTransitionTime) ?? -Infinity, heldSince(findings), createdAt);
}
