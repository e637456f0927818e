import type { EpochMs } from "../base/epoch_ms.ts";
import type { Span, Watched } from "../view/watched.ts";

/**
 * Returns the times in `asked` that no span covers, in order: nothing is known of Jobs that came and went in them.
 *
 * @param watched in the order of their beginnings; they may overlap
 */
export function gapsIn({ since, until }: Span, watched: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let seen = since;
  for (const span of [...watched, { since: until, until }]) {
    const gap = { since: seen, until: Math.min(span.since, until) };
    if (gap.since < gap.until) gaps.push(gap);
    seen = Math.max(seen, span.until);
  }
  return gaps;
}

/** Returns since when runs were watched, and the gaps until now; `watched` as for {@linkcode gapsIn}. */
export function watchedUntil(now: EpochMs, watched: readonly Span[]): Watched {
  const since = watched[0]?.since;
  return { since, gaps: since === undefined ? [] : gapsIn({ since, until: now }, watched) };
}
