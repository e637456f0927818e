// @ts-check
/** @import { ClockChange, Row, Timeline, TimelineRow } from "../../wire.ts" */
import { useEffect, useState } from "../html.js";
import { read } from "../server.js";

/** Rows that are scrolled past quickly are not asked for. */
const SETTLE_MS = 150;
const MAX_ROWS = 200;

/** @typedef {{ rows: ReadonlyMap<string, TimelineRow>, clockChanges: readonly ClockChange[] }} Known */

/** @type {Known} */
const NOTHING = { rows: new Map(), clockChanges: [] };

/** What is known of these rows and this stretch; asked for again as rows change. @param {readonly Row[]} rows @param {number} from @param {number} to */
export function useTimeline(rows, from, to) {
  const [known, setKnown] = useState(NOTHING);
  useEffect(() => {
    const over = new AbortController();
    const timer = setTimeout(async () => {
      const query = new URLSearchParams({ from: String(from), to: String(to) });
      for (const { id } of rows.slice(0, MAX_ROWS)) query.append("id", id);
      try {
        const answer = /** @type {Timeline} */ (await read(`/api/timeline?${query}`, over.signal));
        const { clockChanges } = answer;
        setKnown((before) => ({
          rows: new Map([...before.rows, ...answer.rows.map((row) => /** @type {const} */ ([row.id, row]))]),
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
  }, [from, to, ...fingerprint(rows)]);
  return known;
}

/** Changes when other rows are in view, or one of them has changed. @type {WeakMap<Row, number>} */
const numbers = new WeakMap();
let count = 0;

/** @param {readonly Row[]} rows */
function fingerprint(rows) {
  return [
    rows.map((row) => {
      let number = numbers.get(row);
      if (number === undefined) numbers.set(row, number = ++count);
      return number;
    }).join(" "),
  ];
}
