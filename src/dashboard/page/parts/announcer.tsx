import type { Row } from "../../wire.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { link } from "../model/live_rows.ts";
import { nameOf } from "../model/order.ts";
import { useValue } from "../model/value.ts";

/** Announces new trouble to those who listen to the page, and nothing else. */
export function Announcer({ rows }: { rows: readonly Row[] }) {
  const isLive = useValue(link).kind === "live";
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const [text, setText] = useState("");
  useEffect(() => {
    if (!isLive) return;
    const trouble = rows.filter(({ needsAttention }) => needsAttention);
    const fresh = known.current === undefined
      ? []
      : trouble.filter(({ id, state }) => !known.current?.has(`${id} ${state}`));
    known.current = new Set(trouble.map(({ id, state }) => `${id} ${state}`));
    if (fresh.length > 0) {
      setText(fresh.length > 3 ? `${fresh.length} more CronJobs need you` : fresh.map(inWords).join(". "));
    }
  }, [rows, isLive]);
  return <div class="unseen" role="status" aria-live="polite">{text}</div>;
}

function inWords(row: Row) {
  return `${nameOf(row)}: ${row.state}${row.cause ? `, ${row.cause.message}` : ""}`;
}
