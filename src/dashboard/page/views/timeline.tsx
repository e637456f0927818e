import type { Row } from "../../wire.ts";
import { pageOf } from "../actions/row_actions.tsx";
import { useMemo } from "preact/hooks";
import { address, setParams } from "../model/address.ts";
import { nameOf } from "../model/order.ts";
import { useValue } from "../model/value.ts";
import { NoMatch } from "../parts/no_match.tsx";
import { OUTCOMES } from "../parts/run_shapes.tsx";
import { StateLabel } from "../parts/state_mark.tsx";
import { NextRun, When, Zone } from "../parts/time_text.tsx";
import { useSteady } from "../parts/steady.ts";
import { useWindow } from "../parts/window.ts";
import { TimelinePanel } from "../timeline/panel.tsx";
import { Legend } from "../timeline/legend.tsx";

const SPANS: readonly (readonly [label: string, hours: number])[] = [["1 h", 1], ["12 h", 12], ["24 h", 24], [
  "7 d",
  168,
]];

/** The day as a picture, or as a table that says the same. */
export function TimelineView({ rows }: { rows: readonly Row[]; total: number }) {
  const { params } = useValue(address);
  const hours = SPANS.find(([, hours]) => String(hours) === params.hours)?.[1] ?? 24;
  const isTable = params.as === "table";
  const ordered = useMemo(() => byTrouble(rows), [rows]);
  const { steady, onWork } = useSteady(ordered, `${params.q} ${params.hours} ${params.as}`);
  return (
    <>
      <h1 class="unseen">Timeline</h1>
      <div class="tools">
        <div class="chips" role="group" aria-label="Stretch of time">
          {SPANS.map(([label, span]) => (
            <button
              type="button"
              key={span}
              class="chip"
              aria-pressed={!isTable && hours === span}
              onClick={() => setParams({ hours: String(span), as: "" })}
            >
              {label}
            </button>
          ))}
          <button
            type="button"
            class="chip"
            aria-pressed={isTable}
            onClick={() => setParams({ as: isTable ? "" : "table" })}
          >
            As a table
          </button>
        </div>
        {!isTable && <Legend />}
      </div>
      {rows.length === 0 ? <NoMatch /> : (
        <div onPointerMove={onWork} onFocusIn={onWork}>
          {isTable ? <AsTable rows={steady} /> : <TimelinePanel rows={steady} hours={hours} />}
        </div>
      )}
    </>
  );
}

/** The worst first, then by the next run. */
function byTrouble(rows: readonly Row[]) {
  const next = ({ nextRun }: Row) => nextRun?.kind === "known" ? nextRun.startsAt : Infinity;
  const calm = rows.filter(({ needsAttention }) => !needsAttention).sort((a, b) =>
    next(a) < next(b) ? -1 : next(a) > next(b) ? 1 : 0
  );
  return [...rows.filter(({ needsAttention }) => needsAttention), ...calm];
}

function AsTable({ rows }: { rows: readonly Row[] }) {
  const { ref, first, last, abovePx, belowPx } = useWindow<HTMLTableElement>(rows.length);
  return (
    <div class="wide">
      <table class="text-timeline" ref={ref} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">CronJob</th>
            <th scope="col">State</th>
            <th scope="col">Last runs, the newest first</th>
            <th scope="col">Next run</th>
          </tr>
        </thead>
        <tbody>
          {abovePx > 0 && <tr class="space" aria-hidden="true" style={{ height: `${abovePx}px` }}></tr>}
          {rows.slice(first, last).map((row, index) => (
            <tr key={row.id} aria-rowindex={first + index + 2} data-row={row.id}>
              <th scope="row">
                <a href={pageOf(row)}>
                  <bdi>{nameOf(row)}</bdi>
                </a>
              </th>
              <td>
                <StateLabel state={row.state} />
              </td>
              <td class="num">
                {row.lastRuns.slice(0, 4).map((run, at) => (
                  <>
                    {at > 0 && ", "}
                    <When at={run.at} zone={row.zone} /> {OUTCOMES[run.outcome]}
                  </>
                ))} {row.lastRuns.length > 0 && <Zone of={row.zone} />}
              </td>
              <td class="num">
                <span class="line">
                  <NextRun row={row} />
                </span>
              </td>
            </tr>
          ))}
          {belowPx > 0 && <tr class="space" aria-hidden="true" style={{ height: `${belowPx}px` }}></tr>}
        </tbody>
      </table>
    </div>
  );
}
