import type { Row } from "../../wire.ts";
import type { ComponentChildren } from "preact";
import { pageOf } from "../actions/row_actions.tsx";
import { Tick } from "../actions/selection_bar.tsx";
import { memo } from "../parts/memo.ts";
import { address, setParams } from "../model/address.ts";
import { filterOf, textOf } from "../model/filter.ts";
import { rows as allRows } from "../model/live_rows.ts";
import { grouped } from "../model/numbers.ts";
import { isSortKey, nameOf, type SortKey, sortOf } from "../model/order.ts";
import { type State, STATES } from "../../../view/cron_job_view.ts";
import { durationText } from "../../../view/times.ts";
import { useValue } from "../model/value.ts";
import { NoMatch } from "../parts/no_match.tsx";
import { Schedule } from "../parts/schedule.tsx";
import { Marks, StateLabel, StateMark } from "../parts/state_mark.tsx";
import { useSteady } from "../parts/steady.ts";
import { Strip } from "../parts/strip.tsx";
import { Ago, NextRun } from "../parts/time_text.tsx";
import { useWindow } from "../parts/window.ts";
import { Button } from "../parts/elements.tsx";

interface Column {
  /** Sorts, where it is a key by which rows can be sorted. */
  readonly name: string;
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
}

const COLUMNS: readonly Column[] = [
  {
    name: "state",
    label: "State",
    cell: ({ state, cause }) => <StateLabel state={state} why={cause?.message} />,
  },
  {
    name: "name",
    label: "Name",
    cell: (row) => (
      <>
        <a href={pageOf(row)} title={nameOf(row)}>
          <bdi class="quiet">{row.namespace}/</bdi>
          <bdi>{row.name}</bdi>
        </a>
        <Marks row={row} />
      </>
    ),
  },
  { name: "last", label: "Last runs", cell: (row) => <Strip row={row} /> },
  {
    name: "success",
    label: "Last success",
    cell: ({ lastSuccess, zone }) =>
      lastSuccess === undefined
        ? <span class="quiet">not known</span>
        : [<Ago key="ago" at={lastSuccess} zone={zone} />, " ago"],
  },
  {
    name: "took",
    label: "Takes",
    cell: ({ durations }) =>
      durations && (
        <span title={`half of the runs take less; 95 % less than ${durationText(durations.p95Seconds * 1_000)}`}>
          {durationText(durations.p50Seconds * 1_000)}
        </span>
      ),
  },
  {
    name: "next",
    label: "Next run",
    cell: (row) => (
      <span class="line">
        <NextRun row={row} />
        {(row.state === "Paused" || row.state === "Suspended") && (
          <bdi class="quiet" title={row.cause?.message}>{row.cause?.message}</bdi>
        )}
      </span>
    ),
  },
  {
    name: "schedule",
    label: "Schedule",
    cell: ({ schedule, zone }) => (
      <>
        <Schedule text={schedule} /> <bdi class="quiet">{zone}</bdi>
      </>
    ),
  },
];

/** Every CronJob, as a table that one can sort and filter: they come in their order. */
export function All({ rows: matching, total }: { rows: readonly Row[]; total: number }) {
  const { params } = useValue(address);
  const { by, isReverse } = sortOf(params.sort);
  const { steady: rows, onWork } = useSteady(matching, `${params.q} ${params.sort}`);
  const { ref, first, last, abovePx, belowPx } = useWindow<HTMLTableElement>(rows.length);
  const shown = rows.slice(first, last);
  return (
    <>
      <h1 class="unseen">All CronJobs</h1>
      <StateChips />
      <p class="count quiet fine num" role="status">
        {rows.length === total ? `${grouped(total)} CronJobs` : `${grouped(rows.length)} of ${grouped(total)}`}
      </p>
      <div class="card" onPointerMove={onWork} onFocusIn={onWork}>
        <table class="all num" ref={ref} role="table" aria-rowcount={rows.length + 1}>
          <thead role="rowgroup">
            <tr role="row" aria-rowindex={1}>
              <th role="columnheader" scope="col">
                <Tick rows={rows} label="all that are shown" />
              </th>
              {COLUMNS.map((column) => <Head key={column.name} column={column} by={by} isReverse={isReverse} />)}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {abovePx > 0 && <tr class="space" aria-hidden="true" style={{ height: `${abovePx}px` }}></tr>}
            {shown.map((row, index) => <Line key={row.id} row={row} index={first + index + 2} />)}
            {belowPx > 0 && <tr class="space" aria-hidden="true" style={{ height: `${belowPx}px` }}></tr>}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <NoMatch />}
    </>
  );
}

function Head(
  { column: { label, name }, by, isReverse }: { column: Column; by: SortKey; isReverse: boolean },
) {
  const isSorted = name === by;
  const order = isSorted ? isReverse ? "descending" : "ascending" : undefined;
  const change = () => setParams({ sort: isSorted && !isReverse ? `-${name}` : name });
  return (
    <th role="columnheader" scope="col" class={`c-${name}`} aria-sort={order}>
      {isSortKey(name)
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

const Line = memo(({ row, index }: { row: Row; index: number }) => (
  <tr role="row" aria-rowindex={index} data-row={row.id}>
    <td role="cell">
      <Tick rows={[row]} label={nameOf(row)} />
    </td>
    {COLUMNS.map(({ name, cell }) => <td key={name} role="cell" class={`c-${name}`}>{cell(row)}</td>)}
  </tr>
));

/** One of each state that occurs, with how many are in it. */
function StateChips() {
  const { params } = useValue(address);
  const all = useValue(allRows);
  const filter = filterOf(params.q ?? "");
  const byState = Map.groupBy(all.values(), ({ state }) => state);
  const toggle = (state: State) => {
    const { states } = filter;
    const next = states.includes(state) ? states.filter((one) => one !== state) : [...states, state];
    setParams({ q: textOf({ ...filter, states: next }) });
  };
  return (
    <div class="bar chips" role="group" aria-label="States">
      {STATES.filter((state) => byState.has(state) || filter.states.includes(state)).map((state) => (
        <Button
          key={state}
          class={`chip is-${state}`}
          aria-pressed={filter.states.includes(state)}
          onClick={() => toggle(state)}
        >
          <StateMark state={state} />
          {state} <span class="num">{grouped(byState.get(state)?.length ?? 0)}</span>
        </Button>
      ))}
      {params.q && <Button class="plain" onClick={() => setParams({ q: "" })}>Show all</Button>}
    </div>
  );
}
