// @ts-check
/** @import { Row } from "../../wire.ts" */
/** @import { Asked } from "./asked.js" */
import { html, useState } from "../html.js";
import { jobToDelete } from "../model/rights.js";
import { useValue } from "../model/value.js";
import { Modal } from "../parts/modal.js";
import { act, fieldsOf, targetOfRow } from "./act.js";
import { asked } from "./asked.js";
import { BackfillForm } from "./backfill_form.js";
import { Names } from "./names.js";
import { PauseFields } from "./pause_fields.js";
import { onlyOf, QUESTIONS } from "./texts.js";

/** Asks once about what the visitor wants to do, if there is something. */
export function ActionDialog() {
  const what = useValue(asked);
  return what && html`<${Modal} label=${QUESTIONS[what.action].title(what.rows)} onClose=${() => asked.set(undefined)}>
    ${what.action === "backfill" ? html`<${BackfillForm} rows=${what.rows} />` : html`<${Question} what=${what} />`}
  </${Modal}>`;
}

/** @param {{ what: Asked }} props */
function Question({ what: { action, rows } }) {
  const [isBusy, setBusy] = useState(false);
  const { means, does } = QUESTIONS[action];
  const only = onlyOf(rows);
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    setBusy(true);
    await act(action, { targets: rows.flatMap((row) => targetOf(action, row)), ...fieldsOf(form) });
    asked.set(undefined);
  };
  return html`
    <form onSubmit=${submit}>
      <p>${means}</p>
      ${rows.length > 1 && html`<${Names} rows=${rows} />`}
      ${action === "delete-job" && only && html`<p>Job <code><bdi>${jobToDelete(only)}</bdi></code></p>`}
      ${action === "resume" && html`<${WhosePause} rows=${rows} />`}
      ${action === "pause" && html`<${PauseFields} />`}
      <div class="choices">
        <button type="button" class="plain" onClick=${() => asked.set(undefined)}>Cancel</button>
        <button type="submit" class=${action === "delete-job"
          ? "primary danger"
          : "primary"} disabled=${isBusy} autofocus=${action !== "pause"}>
          ${isBusy ? "Wait…" : does}
        </button>
      </div>
    </form>
  `;
}

/** Whose pause it is, if it is one person's. @param {readonly Row[]} rows */
function pausedBy(rows) {
  const names = new Set(rows.map(({ pause }) => pause?.by ?? ""));
  return names.size === 1 ? [...names][0] : "";
}

/** The pause of another user ends only if the visitor says whose it is. @param {{ rows: readonly Row[] }} props */
function WhosePause({ rows }) {
  const cause = onlyOf(rows)?.cause;
  return html`
    ${cause && html`<p class="quiet"><bdi>${cause.message}</bdi></p>`}
    <label class="field">
      <span>Whose pause <span class="quiet">empty: your own</span></span>
      <input name="of" defaultValue=${pausedBy(rows)} autocomplete="off" spellcheck=${false} />
    </label>
  `;
}

/** @param {Asked["action"]} action @param {Row} row */
function targetOf(action, row) {
  const job = jobToDelete(row);
  if (action !== "delete-job") return [targetOfRow(row)];
  return job === undefined ? [] : [{ ...targetOfRow(row), job }];
}
