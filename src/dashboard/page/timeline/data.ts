import type { Row, Timeline, TimelineRow } from "../../wire.ts";
import { useMemo, useRef } from "preact/hooks";
import { useAnswer } from "../parts/answer.ts";

/** Rows that are scrolled past quickly are not asked for. */
const SETTLE_MS = 150;
const MAX_ROWS = 200;

/** The known runs of these rows and this stretch; asked for again as rows change. */
export function useTimeline(shown: readonly Row[], from: number, to: number) {
  const rows = useSame(shown);
  const query = new URLSearchParams({ from: String(from), to: String(to) });
  for (const { id } of rows.slice(0, MAX_ROWS)) query.append("id", id);
  const { value } = useAnswer<Timeline>(`/api/timeline?${query}`, rows, SETTLE_MS);
  const known = useMemo(() => new Map<string, TimelineRow>(value?.rows.map((row) => [row.id, row])), [value]);
  return { known, clockChanges: value?.clockChanges ?? [] };
}

/** The rows as they were before, as long as they are the same. */
function useSame(rows: readonly Row[]): readonly Row[] {
  const last = useRef(rows);
  const { current: before } = last;
  if (rows.length !== before.length || rows.some((row, index) => row !== before[index])) last.current = rows;
  return last.current;
}
