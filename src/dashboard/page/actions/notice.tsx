// @ts-check
/** @import { ActionResult } from "../../wire.ts" */
import { html } from "../html.js";
import { nameOf } from "../model/order.js";
import { useValue } from "../model/value.js";
import { act } from "./act.js";
import { notice } from "./asked.js";

/** What was done last stays until it has been read, or something else is done. */
export function NoticeBar() {
  const what = useValue(notice);
  return html`
    <div class="notice-place" role="status">
      ${what && html`
        <div class=${isBad(what) ? "notice bad" : "notice"}>
          ${"error" in what ? html`<p><bdi>${what.error}</bdi></p>` : html`<${Results} results=${what.results} />`}
          <button class="plain" onClick=${() => notice.set(undefined)}>Dismiss</button>
        </div>
      `}
    </div>
  `;
}

/** @param {import("./asked.js").Notice} what */
function isBad(what) {
  return "error" in what || what.results.some(({ result }) => result === "failed" || result === "left");
}

/** Others are listed up to so many. */
const LISTED = 10;

/** Of several only those are named of which there is something to say. @param {{ results: readonly ActionResult[] }} props */
function Results({ results }) {
  const undos = results.flatMap(({ undo }) => undo ?? []);
  const done = results.filter(({ result }) => result === "done");
  const listed = results.length === 1 ? results : results.filter(({ result }) => result !== "done");
  return html`
    <div>
      ${results.length > 1 && html`<p class="num">${done.length} of ${results.length} done</p>`}
      ${listed.slice(0, LISTED).map(({ target, message }) =>
        html`
          <p key=${nameOf(target)} class="line"><strong><bdi>${nameOf(target)}</bdi></strong><bdi>${message}</bdi></p>
        `
      )}
      ${listed.length > LISTED && html`<p>and ${listed.length - LISTED} more</p>`}
    </div>
    ${undos.length > 0 && html`<button class="plain" onClick=${() => undo(undos)}>Undo</button>`}
  `;
}

/** Of the same action they are one request. @param {readonly NonNullable<ActionResult["undo"]>[]} undos */
async function undo(undos) {
  const [first] = undos;
  if (first) await act(first.action, { ...first.body, targets: undos.flatMap(({ body: { targets } }) => targets) });
}
