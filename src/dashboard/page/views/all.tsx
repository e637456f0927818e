// @ts-check
/** @import { Row } from "../../wire.ts" */
/** @import { SortKey } from "../model/order.js" */
import { pageOf } from "../actions/row_actions.js";
import { Tick } from "../actions/selection_bar.js";
import { html, memo, useMemo } from "../html.js";
import { address, setParams } from "../model/address.js";
import { filterOf, textOf } from "../model/filter.js";
import { rows as allRows } from "../model/live_rows.js";
import { grouped } from "../model/numbers.js";
import { sortOf } from "../model/order.js";
import { select, selection } from "../model/selection.js";
import { STATES } from "../model/states.js";
import { duration } from "../model/times.js";
import { useValue } from "../model/value.js";
import { Blank } from "../parts/blank.js";
import { StateLabel, StateMark } from "../parts/state_mark.js";
import { Strip } from "../parts/strip.js";
import { Ago, NextRun } from "../parts/time_text.js";
import { useSlots, useWindow } from "../parts/window.js";

/** @type {readonly { label: string, name: string, sort?: SortKey }[]} */
const COLUMNS = [
  { label: "State", name: "state", sort: "state" },
  { label: "Name", name: "name", sort: "name" },
  { label: "Last runs", name: "runs", sort: "last" },
  { label: "Last success", name: "success" },
  { label: "Takes", name: "took", sort: "took" },
  { label: "Next run", name: "next", sort: "next" },
  { label: "Schedule", name: "schedule" },
];

/** Every CronJob, as a table that one can sort and filter: they come in their order. @param {{ rows: readonly Row[], total: number }} props */
export function All({ rows, total }) {
  const { params } = useValue(address);
  const { by, isReverse } = sortOf(params.sort);
  const { ref, first, last, abovePx, belowPx } = useWindow(rows.length);
  const shown = rows.slice(first, last);
  const slots = useSlots(shown);
  return html`
    <h1 class="unseen">All CronJobs</h1>
    <${StateChips} />
    <p class="count quiet num" role="status">${rows.length === total
      ? `${grouped(total)} CronJobs`
      : `${grouped(rows.length)} of ${grouped(total)}`}</p>
    <div class="frame">
      <table class="all" ref=${ref} role="table" aria-rowcount=${rows.length + 1}>
        <thead role="rowgroup">
          <tr role="row" aria-rowindex="1">
        <th role="columnheader" scope="col" class="c-tick"><${TickAll} rows=${rows} /></th>
        ${COLUMNS.map((column) =>
          html`<${Head} key=${column.name} column=${column} by=${by} isReverse=${isReverse} />`
        )}
      </tr>
        </thead>
        <tbody role="rowgroup">
        ${abovePx > 0 && html`<tr class="space" aria-hidden="true" style=${{ height: `${abovePx}px` }}></tr>`}
        ${shown.map((row, index) => html`<${Line} key=${slots.get(row.id)} row=${row} index=${first + index + 2} />`)}
        ${belowPx > 0 && html`<tr class="space" aria-hidden="true" style=${{ height: `${belowPx}px` }}></tr>`}
      </tbody>
      </table>
    </div>
    ${rows.length === 0 && html`
      <${Blank} icon="search" title="No CronJob matches">
        <p><a href="#/all">Show all</a></p>
        </${Blank}>
    `}
  `;
}

/** @param {{ column: (typeof COLUMNS)[number], by: SortKey, isReverse: boolean }} props */
function Head({ column: { label, name, sort }, by, isReverse }) {
  const isSorted = sort === by;
  const order = isSorted ? isReverse ? "descending" : "ascending" : undefined;
  const change = () => setParams({ sort: isSorted && !isReverse ? `-${sort}` : `${sort}` });
  return html`
    <th role="columnheader" scope="col" class=${`c-${name}`} aria-sort=${order}>
      ${sort
        ? html`<button class="sort" onClick=${change}>${label}<span aria-hidden="true">${
          order ? isReverse ? "▾" : "▴" : ""
        }</span></button>`
        : label}
    </th>
  `;
}

const Line = memo((/** @type {{ row: Row, index: number }} */ { row, index }) => {
  const { state, namespace, name, schedule, zone, cause, lastSuccess, durations } = row;
  return html`
    <tr role="row" aria-rowindex=${index} data-row=${row.id}>
      <td role="cell" class="c-tick">
        <${Tick} row=${row} />
      </td>
      <td role="cell" class="c-state" title=${cause?.message}>
        <${StateLabel} state=${state} />
      </td>
      <td role="cell"
        class="c-name"><a href=${pageOf(
          row,
        )} title=${`${namespace}/${name}`}><bdi class="quiet">${namespace}/</bdi><bdi>${name}</bdi></a></td>
      <td role="cell" class="c-runs">
        <${Strip} row=${row} />
      </td>
      <td role="cell" class="c-success num">${lastSuccess === undefined
        ? html`<span class="quiet">never</span>`
        : html`<${Ago} at=${lastSuccess} zone=${zone} /> ago`}</td>
      <td role="cell" class="c-took num">${durations &&
        html`<span title=${`half of the runs take less; 95 % less than ${duration(durations.p95Seconds * 1_000)}`}>${
          duration(durations.p50Seconds * 1_000)
        }</span>`}</td>
      <td role="cell" class="c-next num">
        <span class="line"><${NextRun} row=${row} /></span>
      </td>
      <td role="cell"
        class="c-schedule"><code title=${schedule}><bdi>${schedule}</bdi></code> <span class="quiet"><bdi>${zone}</bdi></span></td>
    </tr>
  `;
});

/** Ticks all that match. @param {{ rows: readonly Row[] }} props */
function TickAll({ rows }) {
  const selected = useValue(selection);
  const count = rows.reduce((sum, { id }) => selected.has(id) ? sum + 1 : sum, 0);
  return html`
    <input type="checkbox" class="tick" aria-label="Select all that are shown" checked=${count > 0 &&
      count === rows.length} indeterminate=${count > 0 && count < rows.length}
      onChange=${(/** @type {Event} */ event) =>
        select(rows.map(({ id }) => id), /** @type {HTMLInputElement} */ (event.target).checked)} />
  `;
}

/** One of each state that occurs, with how many are in it. */
function StateChips() {
  const { params } = useValue(address);
  const all = useValue(allRows);
  const filter = filterOf(params.q ?? "");
  const counts = useMemo(() => {
    /** @type {Record<string, number>} */
    const counts = {};
    for (const { state } of all.values()) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }, [all]);
  const toggle = (/** @type {import("../../../view/cron_job_view.ts").State} */ state) => {
    const { states } = filter;
    const next = states.includes(state) ? states.filter((one) => one !== state) : [...states, state];
    setParams({ q: textOf({ ...filter, states: next }) });
  };
  return html`
    <div class="chips" role="group" aria-label="States">
      ${STATES.filter((state) => counts[state] || filter.states.includes(state)).map((state) =>
        html`
          <button key=${state} class=${`chip is-${state}`} aria-pressed=${String(
            filter.states.includes(state),
          )} onClick=${() => toggle(state)}>
            <${StateMark} state=${state} />${state} <span class="num">${grouped(
              counts[state] ?? 0,
            )}</span>
          </button>
        `
      )}
      ${params.q && html`<button class="chip clear" onClick=${() => setParams({ q: "" })}>Show all</button>`}
    </div>
  `;
}
