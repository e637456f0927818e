// @ts-check
/// <reference lib="dom" />
/** @import { ActionAnswer, ActionResult, Row } from "../../wire.ts" */
import { html, useState } from "../html.js";
import { nameOf } from "../model/order.js";
import { fullTime } from "../model/times.js";
import { post } from "../server.js";
import { act, fieldsOf, targetOfRow } from "./act.js";
import { asked } from "./asked.js";
import { Names } from "./names.js";
import { QUESTIONS } from "./texts.js";

/**
 * First what would be started, by the same rules; only then can it be started.
 *
 * @typedef {{ step: "asks", error?: string } | { step: "waits" }
 *   | { step: "shows", body: object, results: readonly ActionResult[] }} Step
 */

/** @param {{ rows: readonly Row[] }} props */
export function BackfillForm({ rows }) {
  const [step, setStep] = useState(/** @type {Step} */ ({ step: "asks" }));
  const preview = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const { maxActive, ...fields } = fieldsOf(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)));
    const body = { targets: rows.map(targetOfRow), ...fields, ...maxActive && { maxActive: Number(maxActive) } };
    setStep({ step: "waits" });
    try {
      const answer = /** @type {ActionAnswer} */ (await post("/api/actions/backfill", { ...body, isPreview: true }));
      setStep({ step: "shows", body, results: answer.results });
    } catch (error) {
      setStep({ step: "asks", error: /** @type {Error} */ (error).message });
    }
  };
  const start = async (/** @type {object} */ body) => {
    setStep({ step: "waits" });
    await act("backfill", body);
    asked.set(undefined);
  };
  return html`
    <form onSubmit=${preview} hidden=${step.step === "shows"}>
      <p>${QUESTIONS.backfill.means}</p>
      ${rows.length > 1 && html`<${Names} rows=${rows} />`}
      <div class="fields">
        <label class="field"><span>From</span><input name="from" required value="1d" autocomplete="off" autofocus /></label>
        <label class="field"><span>To</span><input name="to" required value="now" autocomplete="off" /></label>
      </div>
      <p class="quiet">2d, Mon 02:00 or 2026-11-19 00:00, in the zone of the CronJob.</p>
      <fieldset class="radios">
        <legend>Which runs</legend>
        <label><input type="radio" name="reprocess" value="missing" checked /> Those that are missing</label>
        <label><input type="radio" name="reprocess" value="failed" /> Those that failed, too</label>
      </fieldset>
      <label class="field short"><span>At a time</span><input name="maxActive" type="number" min="1" max="100" value="1" /></label>
      ${step.step === "asks" && step.error && html`<p class="error" role="alert"><bdi>${step.error}</bdi></p>`}
      <div class="choices">
        <button type="button" class="plain" onClick=${() => asked.set(undefined)}>Cancel</button>
        <button type="submit" class="primary" disabled=${step.step === "waits"}>${step.step === "waits"
          ? "Wait…"
          : "Preview"}</button>
      </div>
    </form>
    ${step.step === "shows" &&
      html`<${Preview} rows=${rows} results=${step.results} onBack=${() => setStep({ step: "asks" })} onStart=${() =>
        start(step.body)} />`}
  `;
}

/** What is listed of each; more is counted only. */
const LISTED = 200;

/** @param {{ rows: readonly Row[], results: readonly ActionResult[], onBack: () => void, onStart: () => void }} props */
function Preview({ rows, results, onBack, onStart }) {
  const count = results.reduce((sum, { runs = [] }) => sum + runs.length, 0);
  return html`
    <div class="preview" tabindex="0" aria-label="What would be started">
      ${results.map(({ target, message, runs = [] }, index) =>
        html`
          <section key=${nameOf(target)}>
            <h3><bdi>${nameOf(target)}</bdi></h3>
            <p>${message}</p>
            <ul class="num">
              ${runs.slice(0, LISTED).map(({ scheduledTime, job }) =>
                html`<li key=${scheduledTime}>${fullTime(scheduledTime, rows[index]?.zone ?? "UTC")}</li>`
              )}
            </ul>
            ${runs.length > LISTED && html`<p class="quiet">and ${runs.length - LISTED} more</p>`}
          </section>
        `
      )}
    </div>
    <div class="choices">
      <button type="button" class="plain" onClick=${onBack}>Back</button>
      <button type="button" class="primary" disabled=${count === 0} onClick=${onStart}>
        ${count === 0 ? "Nothing to start" : count === 1 ? "Start 1 run" : `Start ${count} runs`}
      </button>
    </div>
  `;
}
