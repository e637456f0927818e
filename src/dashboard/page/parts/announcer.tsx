// @ts-check
/** @import { Row } from "../../wire.ts" */
import { html, useEffect, useRef, useState } from "../html.js";
import { link } from "../model/live_rows.js";
import { nameOf } from "../model/order.js";
import { needsSomebody } from "../model/states.js";
import { useValue } from "../model/value.js";

/** Announces new trouble to those who listen to the page, and nothing else. @param {{ rows: readonly Row[] }} props */
export function Announcer({ rows }) {
  const isLive = useValue(link).kind === "live";
  const known = useRef(/** @type {ReadonlySet<string> | undefined} */ (undefined));
  const [text, setText] = useState("");
  useEffect(() => {
    if (!isLive) return;
    const trouble = rows.filter(({ state }) => needsSomebody(state));
    const fresh = known.current === undefined
      ? []
      : trouble.filter(({ id, state }) => !known.current?.has(`${id} ${state}`));
    known.current = new Set(trouble.map(({ id, state }) => `${id} ${state}`));
    if (fresh.length > 0) {
      setText(fresh.length > 3 ? `${fresh.length} more CronJobs need you` : fresh.map(inWords).join(". "));
    }
  }, [rows, isLive]);
  return html`<div class="unseen" role="status" aria-live="polite">${text}</div>`;
}

/** @param {Row} row */
function inWords(row) {
  return `${nameOf(row)}: ${row.state}${row.cause ? `, ${row.cause.message}` : ""}`;
}
