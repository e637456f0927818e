// @ts-check
/** @import { Row } from "../../wire.ts" */
import { html } from "../html.js";
import { nameOf } from "../model/order.js";

/** @param {{ rows: readonly Row[] }} props */
export function Names({ rows }) {
  return html`<ul class="names" tabindex="0" aria-label="CronJobs">${
    rows.map((row) => html`<li key=${row.id}><bdi>${nameOf(row)}</bdi></li>`)
  }</ul>`;
}
