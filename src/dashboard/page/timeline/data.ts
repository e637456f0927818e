import type { ClockChange, Row, Timeline, TimelineRow } from "../../wire.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { read } from "../server.ts";

/** Rows that are scrolled past quickly are not asked for. */
const SETTLE_MS = 150;
const MAX_ROWS = 200;

type Known = { rows: ReadonlyMap<string, TimelineRow>; clockChanges: readonly ClockChange[] };

const NOTHING: Known = { rows: new Map(), clockChanges: [] };

/** What is known of these rows and this stretch; asked for again as rows change. */
export function useTimeline(shown: readonly Row[], from: number, to: number) {
  const rows = useSame(shown);
  const [known, setKnown] = useState(NOTHING);
  useEffect(() => {
    const over = new AbortController();
    const timer = setTimeout(async () => {
      const query = new URLSearchParams({ from: String(from), to: String(to) });
      for (const { id } of rows.slice(0, MAX_ROWS)) query.append("id", id);
      try {
        const answer = await read<Timeline>(`/api/timeline?${query}`, over.signal);
        const { clockChanges } = answer;
        setKnown((before) => ({
          rows: new Map([...before.rows, ...answer.rows.map((row) => ([row.id, row] as const))]),
          clockChanges,
        }));
      } catch {
        // The rows themselves show the last runs, and the page says when the server is away.
      }
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [from, to, rows]);
  return known;
}

/** The rows as they were before, as long as they are the same. */
function useSame(rows: readonly Row[]): readonly Row[] {
  const last = useRef(rows);
  const { current: before } = last;
  if (rows.length !== before.length || rows.some((row, index) => row !== before[index])) last.current = rows;
  return last.current;
}
