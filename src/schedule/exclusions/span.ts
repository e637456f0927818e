import { partitionPoint } from "../../base/partition_point.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";

/** A stretch of time: `start <= t < end`. */
export interface Span {
  readonly start: EpochMs;
  readonly end: EpochMs;
}

/** Returns spans of the same times, in order, no two of which touch. */
export function merge(spans: readonly Span[]): Span[] {
  const merged: { start: EpochMs; end: EpochMs }[] = [];
  for (const { start, end } of spans.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** Returns the index of the first of these merged spans that ends after `instant`. */
export function firstEndingAfter(spans: readonly Span[], instant: EpochMs): number {
  return partitionPoint(spans, ({ end }) => end <= instant);
}
