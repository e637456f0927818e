import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../base/epoch_ms.ts";
import type { Span, Watched } from "../view/watched.ts";
import type { ArchiveTables, RunPlace, RunRow } from "./archive_tables.ts";
import { gapsIn } from "./watched.ts";

/** The other replicas. */
export interface Peers {
  /** Asks one of them about the runs that were due or started in a span. Returns the lines of {@linkcode peerLines}. */
  linesIn(span: Span, signal: AbortSignal): AsyncIterable<string>;
}

/** A line of a replica's answer to another. */
interface PeerLine {
  readonly watched?: Watched | undefined;
  readonly run?: RunRow;
  readonly isAll?: true | undefined;
}

/** Rows that are read at once. */
const PAGE = 200;

/**
 * Yields the lines of a replica's answer to another: first when it watched, then the runs, then that these were all. The first
 * line is made before the runs are read, so that all runs of the watched times follow it.
 *
 * @param options.until until when `watched` is known
 */
export async function* peerLines(
  { tables, watched: { since, gaps }, until }: {
    readonly tables: ArchiveTables;
    readonly watched: Watched;
    readonly until: EpochMs;
  },
  span: Span,
): AsyncGenerator<string> {
  yield jsonLines([{ watched: { since, gaps: [...gaps, { since: until, until: LAST_INSTANT }] } }]);
  let last: RunPlace = { at: span.since, number: 0 };
  for (;;) {
    const page = tables.endedRunsAfter(last, { until: span.until, limit: PAGE });
    if (page.length === 0) return yield jsonLines([{ isAll: true }]);
    yield jsonLines(page.map(({ number: _, ...run }) => ({ run })));
    last = page.at(-1)!;
  }
}

function jsonLines(lines: readonly PeerLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** @throws {Error} where the text is no such line: another version of the program may answer otherwise */
export function readPeerLine(text: string): PeerLine {
  const { watched, run, isAll }: PeerLine = JSON.parse(text);
  if (run === undefined) return { watched, isAll };
  // Other fields would be no columns.
  const { id, api_version, namespace, cron_job, at, ended, value } = run;
  return { run: { id, api_version, namespace, cron_job, at, ended, value } };
}

/** Returns the parts of a span that another replica watched: those between its gaps. */
export function watchedOf({ since = LAST_INSTANT, gaps }: Watched, span: Span): Span[] {
  return gapsIn(span, [{ since: FIRST_INSTANT, until: since }, ...gaps]);
}
