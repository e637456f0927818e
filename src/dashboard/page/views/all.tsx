import type { Row } from "../../wire.ts";
import type { SortKey } from "../model/order.ts";
import { pageOf } from "../actions/row_actions.tsx";
import { Tick } from "../actions/selection_bar.tsx";
import { useMemo } from "preact/hooks";
import { memo } from "../parts/memo.ts";
import { address, setParams } from "../model/address.ts";
import { filterOf, textOf } from "../model/filter.ts";
import { rows as allRows } from "../model/live_rows.ts";
import { grouped } from "../model/numbers.ts";
import { sortOf } from "../model/order.ts";
import { select, selection } from "../model/selection.ts";
import { type State, STATES } from "../../../view/cron_job_view.ts";
import { durationText } from "../../../view/times.ts";
import { useValue } from "../model/value.ts";
import { NoMatch } from "../parts/no_match.tsx";
import { Schedule } from "../parts/schedule.tsx";
import { StateLabel, StateMark } from "../parts/state_mark.tsx";
import { useSteady } from "../parts/steady.ts";
import { Strip } from "../parts/strip.tsx";
import { Ago, NextRun } from "../parts/time_text.tsx";
import { useSlots, useWindow } from "../parts/window.ts";
import { Button } from "../parts/button.tsx";

const COLUMNS: readonly { label: string; name: string; sort?: SortKey }[] = [
  { label: "State", name: "state", sort: "state" },
  { label: "Name", name: "name", sort: "name" },
  { label: "Last runs", name: "runs", sort: "last" },
  { label: "Last success", name: "success" },
  { label: "Takes", name: "took", sort: "took" },
  { label: "Next run", name: "next", sort: "next" },
  { label: "Schedule", name: "schedule" },
];

/** Every CronJob, as a table that one can sort and filter: they come in their order. */
export function All({ rows: matching, total }: { rows: readonly Row[]; total: number }) {
  const { params } = useValue(address);
  const { by, isReverse } = sortOf(params.sort);
  const { steady: rows, onWork } = useSteady(matching, `${params.q} ${params.sort}`);
  const { ref, first, last, abovePx, belowPx } = useWindow<HTMLTableElement>(rows.length);
  const shown = rows.slice(first, last);
  const slots = useSlots(shown);
  return (
    <>
      <h1 class="unseen">All CronJobs</h1>
      <StateChips />
      <p class="count quiet num" role="status">
        {rows.length === total ? `${grouped(total)} CronJobs` : `${grouped(rows.length)} of ${grouped(total)}`}
      </p>
      <div class="card" onPointerMove={onWork} onFocusIn={onWork}>
        <table class="all" ref={ref} role="table" aria-rowcount={rows.length + 1}>
          <thead role="rowgroup">
            <tr role="row" aria-rowindex={1}>
              <th role="columnheader" scope="col" class="c-tick">
                <TickAll rows={rows} />
              </th>
              {COLUMNS.map((column) => <Head key={column.name} column={column} by={by} isReverse={isReverse} />)}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {abovePx > 0 && <tr class="space" aria-hidden="true" style={{ height: `${abovePx}px` }}></tr>}
            {shown.map((row, index) => <Line key={slots.get(row.id)} row={row} index={first + index + 2} />)}
            {belowPx > 0 && <tr class="space" aria-hidden="true" style={{ height: `${belowPx}px` }}></tr>}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <NoMatch />}
    </>
  );
}

function Head(
  { column: { label, name, sort }, by, isReverse }: {
    column: (typeof COLUMNS)[number];
    by: SortKey;
    isReverse: boolean;
  },
) {
  const isSorted = sort === by;
  const order = isSorted ? isReverse ? "descending" : "ascending" : undefined;
  const change = () => setParams({ sort: isSorted && !isReverse ? `-${sort}` : `${sort}` });
  return (
    <th role="columnheader" scope="col" class={`c-${name}`} aria-sort={order}>
      {sort
        ? (
          <Button class="sort" onClick={change}>
            {label}
            <span aria-hidden="true">{order ? isReverse ? "▾" : "▴" : ""}</span>
          </Button>
        )
        : label}
    </th>
  );
}

const Line = memo(({ row, index }: { row: Row; index: number }) => {
  const { state, namespace, name, schedule, zone, cause, lastSuccess, durations } = row;
  return (
    <tr role="row" aria-rowindex={index} data-row={row.id}>
      <td role="cell" class="c-tick">
        <Tick row={row} />
      </td>
      <td role="cell" class="c-state" title={cause?.message}>
        <StateLabel state={state} />
      </td>
      <td role="cell" class="c-name">
        <a href={pageOf(row)} title={`${namespace}/${name}`}>
          <bdi class="quiet">{namespace}/</bdi>
          <bdi>{name}</bdi>
        </a>
      </td>
      <td role="cell" class="c-runs">
        <Strip row={row} />
      </td>
      <td role="cell" class="c-success num">
        {lastSuccess === undefined ? <span class="quiet">not known</span> : (
          <>
            <Ago at={lastSuccess} zone={zone} /> ago
          </>
        )}
      </td>
      <td role="cell" class="c-took num">
        {durations &&
          (
            <span title={`half of the runs take less; 95 % less than ${durationText(durations.p95Seconds * 1_000)}`}>
              {durationText(durations.p50Seconds * 1_000)}
            </span>
          )}
      </td>
      <td role="cell" class="c-next num">
        <span class="line">
          <NextRun row={row} />
        </span>
      </td>
      <td role="cell" class="c-schedule">
        <Schedule text={schedule} /> <bdi class="quiet">{zone}</bdi>
      </td>
    </tr>
  );
});

/** Ticks all that match. */
function TickAll({ rows }: { rows: readonly Row[] }) {
  const selected = useValue(selection);
  const count = rows.reduce((sum, { id }) => selected.has(id) ? sum + 1 : sum, 0);
  return (
    <input
      type="checkbox"
      class="tick"
      aria-label="Select all that are shown"
      checked={count > 0 && count === rows.length}
      indeterminate={count > 0 && count < rows.length}
      onChange={(event) => select(rows.map(({ id }) => id), event.currentTarget.checked)}
    />
  );
}

/** One of each state that occurs, with how many are in it. */
function StateChips() {
  const { params } = useValue(address);
  const all = useValue(allRows);
  const filter = filterOf(params.q ?? "");
  const counts = useMemo(() => {
    const counts: Record<string, number> = {};
    for (const { state } of all.values()) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }, [all]);
  const toggle = (state: State) => {
    const { states } = filter;
    const next = states.includes(state) ? states.filter((one) => one !== state) : [...states, state];
    setParams({ q: textOf({ ...filter, states: next }) });
  };
  return (
    <div class="bar chips" role="group" aria-label="States">
      {STATES.filter((state) => counts[state] || filter.states.includes(state)).map((state) => (
        <Button
          key={state}
          class={`chip is-${state}`}
          aria-pressed={filter.states.includes(state)}
          onClick={() => toggle(state)}
        >
          <StateMark state={state} />
          {state} <span class="num">{grouped(counts[state] ?? 0)}</span>
        </Button>
      ))}
      {params.q && <Button class="plain" onClick={() => setParams({ q: "" })}>Show all</Button>}
    </div>
  );
}
