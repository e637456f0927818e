// @ts-check
/** @import { Row } from "../../wire.ts" */
import { pageOf } from "../actions/row_actions.js";
import { html, useMemo } from "../html.js";
import { address, setParams } from "../model/address.js";
import { nameOf } from "../model/order.js";
import { needsSomebody } from "../model/states.js";
import { useValue } from "../model/value.js";
import { Blank } from "../parts/blank.js";
import { OUTCOMES } from "../parts/run_shapes.js";
import { StateLabel } from "../parts/state_mark.js";
import { NextRun, When } from "../parts/time_text.js";
import { useWindow } from "../parts/window.js";
import { TimelinePanel } from "../timeline/panel.js";
import { Legend } from "../timeline/legend.js";

/** @type {readonly (readonly [label: string, hours: number])[]} */
const SPANS = [["1 h", 1], ["12 h", 12], ["24 h", 24], ["7 d", 168]];

/** The day as a picture, or as a table that says the same. @param {{ rows: readonly Row[], total: number }} props */
export function TimelineView({ rows }) {
  const { params } = useValue(address);
  const hours = SPANS.find(([, hours]) => String(hours) === params.hours)?.[1] ?? 24;
  const isTable = params.as === "table";
  const ordered = useMemo(() => byTrouble(rows), [rows]);
  return html`
    <h1 class="unseen">Timeline</h1>
    <div class="tools">
      <div class="chips" role="group" aria-label="Stretch of time">
        ${SPANS.map(([label, span]) =>
          html`<button key=${span} class="chip" aria-pressed=${String(!isTable && hours === span)} onClick=${() =>
            setParams({ hours: String(span), as: "" })}>${label}</button>`
        )}
        <button class="chip" aria-pressed=${String(isTable)} onClick=${() =>
          setParams({ as: isTable ? "" : "table" })}>As a table</button>
      </div>
      ${!isTable && html`<${Legend} />`}
    </div>
    ${rows.length === 0
      ? html`
        <${Blank} icon="search" title="No CronJob matches">
          <p><a href="#/timeline">Show all</a></p>
          </${Blank}>
      `
      : isTable
      ? html`<${AsTable} rows=${ordered} />`
      : html`<${TimelinePanel} rows=${ordered} hours=${hours} />`}
  `;
}

/** The worst first, then by the next run. @param {readonly Row[]} rows */
function byTrouble(rows) {
  const next = (/** @type {Row} */ { nextRun }) => nextRun?.kind === "known" ? nextRun.startsAt : Infinity;
  const calm = rows.filter(({ state }) => !needsSomebody(state)).sort((a, b) =>
    next(a) < next(b) ? -1 : next(a) > next(b) ? 1 : 0
  );
  return [...rows.filter(({ state }) => needsSomebody(state)), ...calm];
}

/** @param {{ rows: readonly Row[] }} props */
function AsTable({ rows }) {
  const { ref, first, last, abovePx, belowPx } = useWindow(rows.length);
  return html`
    <div class="wide">
      <table class="text-timeline" ref=${ref} aria-rowcount=${rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">CronJob</th>
            <th scope="col">State</th>
            <th scope="col">Last runs, the newest first</th>
            <th scope="col">Next run</th>
          </tr>
        </thead>
        <tbody>
        ${abovePx > 0 && html`<tr class="space" aria-hidden="true" style=${{ height: `${abovePx}px` }}></tr>`}
        ${rows.slice(first, last).map((row, index) =>
          html`
            <tr key=${row.id} aria-rowindex=${first + index + 2} data-row=${row.id}>
              <th scope="row"><a href=${pageOf(row)}><bdi>${nameOf(row)}</bdi></a></th>
              <td>
                <${StateLabel} state=${row.state} />
              </td>
              <td class="num">${row.lastRuns.slice(0, 4).map((run, at) =>
                html`${at > 0 && ", "}<${When} at=${run.at} zone=${row.zone} /> ${OUTCOMES[run.outcome]}`
              )}</td>
              <td class="num">
                <span class="line"><${NextRun} row=${row} /></span>
              </td>
            </tr>
          `
        )}
        ${belowPx > 0 && html`<tr class="space" aria-hidden="true" style=${{ height: `${belowPx}px` }}></tr>`}
      </tbody>
      </table>
    </div>
  `;
}
