// @ts-check
/** @import { ActionAnswer, ActionResult, PreviewSlot, Row } from "../../wire.ts" */
import { html, useState } from "../html.js";
import { serverNow } from "../model/clock.js";
import { nameOf } from "../model/order.js";
import { fullTime, wallOf } from "../model/times.js";
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
  const [first] = useState(() => lastDay(rows[0]?.zone ?? "UTC"));
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
        <label class="field"><span>From</span><input name="from" required defaultValue=${first
          .from} autocomplete="off" autofocus /></label>
        <label class="field"><span>To</span><input name="to" required defaultValue=${first
          .to} autocomplete="off" /></label>
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

/** What is asked for most often, by the wall clock of a zone. @param {string} zone */
function lastDay(zone) {
  const wall = (/** @type {number} */ at) => {
    const { date, clock } = wallOf(at, zone);
    return `${date} ${clock.slice(0, 5)}`;
  };
  const now = serverNow();
  return { from: wall(now - 86_400_000), to: wall(now) };
}

/** What is listed of each; more is counted only. */
const LISTED = 200;

/** @type {Readonly<Record<PreviewSlot["will"], string>>} */
const WILL = { start: "starts", wait: "waits for the schedule", skip: "is left out" };

/** @param {{ rows: readonly Row[], results: readonly ActionResult[], onBack: () => void, onStart: () => void }} props */
function Preview({ rows, results, onBack, onStart }) {
  const starts = results.flatMap(({ slots = [] }) => slots).filter(({ will }) => will === "start").length;
  return html`
    <div class="preview" tabindex="0" role="region" aria-label="What would be started">
      ${results.map((result, index) =>
        html`<${Slots} key=${nameOf(result.target)} result=${result} zone=${rows[index]?.zone ?? "UTC"} />`
      )}
    </div>
    <div class="choices">
      <button type="button" class="plain" onClick=${onBack}>Back</button>
      <button type="button" class="primary" disabled=${starts === 0} onClick=${onStart}>
        ${starts === 0 ? "Nothing to start" : starts === 1 ? "Start 1 run" : `Start ${starts} runs`}
      </button>
    </div>
  `;
}

/** @param {{ result: ActionResult, zone: string }} props */
function Slots({ result: { target, message, slots = [] }, zone }) {
  return html`
    <section>
      <h3><bdi>${nameOf(target)}</bdi></h3>
      <p><bdi>${message}</bdi></p>
      <ul class="num">
        ${slots.slice(0, LISTED).map(({ scheduledTime, will, detail }) =>
          html`
            <li key=${scheduledTime}
              class=${will === "start" ? "line" : "line quiet"}><span>${fullTime(
                scheduledTime,
                zone,
              )}</span><span>${WILL[will]}</span><bdi class="quiet">${detail}</bdi></li>
          `
        )}
      </ul>
      ${slots.length > LISTED && html`<p class="quiet">and ${slots.length - LISTED} more</p>`}
    </section>
  `;
}
