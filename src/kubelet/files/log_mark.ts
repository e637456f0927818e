import type { LogCut } from "./log_cut.ts";
import { readAt, sizeOf } from "./disk.ts";

/** What stands in a log before some offset, by which it is known again. */
export interface LogMark {
  readonly offset: number;
  /** Its first bytes, and the last ones before the offset, by where they begin. */
  readonly pieces: ReadonlyMap<number, Uint8Array>;
}

const MARK_BYTES = 64;

/** Returns by what a log is known again that was read up to an offset. */
export function markOf(path: string, offset: number): LogMark {
  const length = Math.min(offset, MARK_BYTES);
  const pieces = [0, offset - length].map((start) => [start, readAt(path, start, length)] as const);
  return { offset, pieces: new Map(pieces) };
}

/**
 * Returns whether a log still is what it was, up to a mark. It is not once it was truncated, even if there is more in it now
 * than before.
 *
 * @param cut what was cut out of it, which cannot be compared
 */
export function hasMark(path: string, { offset, pieces }: LogMark, cut: LogCut | undefined): boolean {
  if ((sizeOf(path) ?? 0) < offset) return false;
  return [...pieces].every(([start, bytes]) => {
    if (cut && start < cut.to && start + bytes.length > cut.from) return true;
    const now = readAt(path, start, bytes.length);
    return bytes.every((byte, index) => byte === now[index]);
  });
}
