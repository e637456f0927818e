import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../base/epoch_ms.ts";
import type { Span, Watched } from "../view/watched.ts";
import type { ArchiveTables, RunPlace, RunRow } from "./archive_tables.ts";
import { gapsIn } from "./watched.ts";

/** The other replicas. */
export interface Peers {
  /** Returns the runs that one of them keeps, due or started in a span, as the lines of {@linkcode peerLines}. */
  linesIn(span: Span, signal: AbortSignal): AsyncIterable<string>;
}

/** A line of what a replica answers another: when it watched, then run by run, then that these were all. */
interface PeerLine {
  readonly watched?: Watched | undefined;
  readonly run?: RunRow;
  readonly isAll?: true | undefined;
}

/** Rows that are read at once. */
const PAGE = 200;

/**
 * Returns what a replica answers another. When it watched comes first: whatever it has seen by then is in the runs.
 *
 * @param options.until of the time that was watched
 */
export async function* peerLines(
  { tables, watched: { since, gaps }, until }: {
    readonly tables: ArchiveTables;
    readonly watched: Watched;
    readonly until: EpochMs;
  },
  span: Span,
): AsyncGenerator<string> {
  yield textOf([{ watched: { since, gaps: [...gaps, { since: until, until: LAST_INSTANT }] } }]);
  let last: RunPlace = { at: span.since, number: 0 };
  for (;;) {
    const page = tables.endedRunsAfter(last, { until: span.until, limit: PAGE });
    if (page.length === 0) return yield textOf([{ isAll: true }]);
    yield textOf(page.map(({ number: _, ...run }) => ({ run })));
    last = page.at(-1)!;
  }
}

function textOf(lines: readonly PeerLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** @throws {Error} where the text is no such line: another version of the program may answer otherwise */
export function readPeerLine(text: string): PeerLine {
  const { watched, run, isAll }: PeerLine = JSON.parse(text);
  if (run === undefined) return { watched, isAll };
  const { id, api_version, namespace, cron_job, at, ended, value } = run;
  return { run: { id, api_version, namespace, cron_job, at, ended, value } };
}

/** Returns the parts of a span that another replica watched. */
export function watchedOf({ since = LAST_INSTANT, gaps }: Watched, span: Span): Span[] {
  return gapsIn(span, [{ since: FIRST_INSTANT, until: since }, ...gaps]);
}
