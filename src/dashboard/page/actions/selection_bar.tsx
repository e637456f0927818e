// @ts-check
/** @import { Row } from "../../wire.ts" */
import { html } from "../html.js";
import { rows } from "../model/live_rows.js";
import { nameOf } from "../model/order.js";
import { actionsOn, useRights } from "../model/rights.js";
import { select, selection, selectNone } from "../model/selection.js";
import { useValue } from "../model/value.js";
import { askTo } from "./asked.js";
import { BUTTONS } from "./texts.js";

/** @param {{ row: Row }} props */
export function Tick({ row }) {
  const isSelected = useValue(selection).has(row.id);
  return html`
    <input type="checkbox" class="tick" aria-label=${`Select ${nameOf(row)}`} checked=${isSelected}
      onChange=${(/** @type {Event} */ event) =>
        select([row.id], /** @type {HTMLInputElement} */ (event.target).checked)} />
  `;
}

/** What can be done with all that are ticked. */
export function SelectionBar() {
  const ids = useValue(selection);
  const all = useValue(rows);
  const chosen = Array.from(ids).flatMap((id) => all.get(id) ?? []);
  if (chosen.length === 0) return html``;
  return html`
    <div class="selection" role="region" aria-label="Selection">
      <strong class="num">${chosen.length} selected</strong>
      <${ForAll} key=${Array.from(new Set(chosen.map(({ namespace }) => namespace))).sort().join(" ")} rows=${chosen} />
      <button class="plain" onClick=${selectNone}>Clear</button>
    </div>
  `;
}

/** @type {readonly (keyof typeof BUTTONS)[]} */
const ACTIONS = ["run", "pause", "resume", "delete-job", "backfill"];

/** Those that can be done to some of them are done to these. Its rows are of the same namespaces as long as it lives. @param {{ rows: readonly Row[] }} props */
function ForAll({ rows }) {
  const namespaces = Array.from(new Set(rows.map(({ namespace }) => namespace))).sort();
  const rights = new Map(namespaces.map((namespace) => [namespace, useRights(namespace)]));
  const possible = rows.map((row) => ({
    row,
    actions: actionsOn(row, /** @type {any} */ (rights.get(row.namespace))),
  }));
  return html`
    <div class="actions">
      ${ACTIONS.map((action) => {
        const fits = possible.filter(({ actions }) => actions.includes(action)).map(({ row }) => row);
        if (fits.length === 0) return null;
        const label = BUTTONS[action];
        return html`<button key=${action} onClick=${() => askTo(action, fits)}>${label}${
          fits.length < rows.length && html`
            <span class="num">(${fits.length})</span>
          `
        }</button>`;
      })}
    </div>
  `;
}
