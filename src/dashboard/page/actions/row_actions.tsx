// @ts-check
/** @import { Row } from "../../wire.ts" */
import { html } from "../html.js";
import { fragmentOf } from "../model/address.js";
import { actionsOn, jobToRead, useRights } from "../model/rights.js";
import { targetOfRow } from "./act.js";
import { askTo } from "./asked.js";
import { BUTTONS } from "./texts.js";

/** What one can do about a CronJob: what may not be done is not there. @param {{ row: Row, isListed?: boolean }} props */
export function RowActions({ row, isListed = false }) {
  const rights = useRights(row.namespace);
  const job = jobToRead(row);
  return html`
    <div class="actions">
      ${actionsOn(row, rights).map((action, index) =>
        html`
          <button key=${action} class=${index === 0 && row.actions.length > 0 ? "first" : ""} onClick=${() =>
            askTo(action, [row])}>${BUTTONS[action]}</button>
        `
      )}
      ${isListed && rights.mayReadLogs && job !== undefined &&
        html`<a class="button" href=${logsOf(row, job)}>Logs</a>`}
      ${isListed && html`<a class="button" href=${pageOf(row)}>Explain</a>`}
    </div>
  `;
}

/** @param {Row} row @param {string} job */
export function logsOf(row, job) {
  return fragmentOf({ view: "cronjob", target: targetOfRow(row), params: { job } });
}

/** @param {Row} row */
export function pageOf(row) {
  return fragmentOf({ view: "cronjob", target: targetOfRow(row), params: {} });
}
