// @ts-check
/** @import { ActionResult } from "../../wire.ts" */
import { html } from "../html.js";
import { nameOf } from "../model/order.js";
import { useValue } from "../model/value.js";
import { act } from "./act.js";
import { notice } from "./asked.js";

/** What was done last stays until somebody has read it, or does something else. */
export function NoticeBar() {
  const what = useValue(notice);
  return html`
    <div class="notice-place" role="status">
      ${what && html`
        <div class=${"error" in what || what.results.some(({ isDone }) => !isDone) ? "notice bad" : "notice"}>
          ${"error" in what ? html`<p><bdi>${what.error}</bdi></p>` : html`<${Results} results=${what.results} />`}
          <button class="plain" onClick=${() => notice.set(undefined)}>Dismiss</button>
        </div>
      `}
    </div>
  `;
}

/** @param {{ results: readonly ActionResult[] }} props */
function Results({ results }) {
  const undone = results.flatMap(({ undo }) => undo ?? []);
  const failed = results.filter(({ isDone }) => !isDone);
  const listed = results.length === 1 ? results : failed;
  return html`
    <div>
      ${results.length > 1 &&
        html`<p>${results.length - failed.length} done${failed.length > 0 && `, ${failed.length} not:`}</p>`}
      ${listed.slice(0, 10).map((result) =>
        html`
          <p key=${nameOf(result.target)}><strong><bdi>${nameOf(result.target)}</bdi></strong>: <bdi>${result
            .message}</bdi></p>
        `
      )}
      ${listed.length > 10 && html`<p>and ${listed.length - 10} more</p>`}
    </div>
    ${undone.length > 0 && html`<button class="plain" onClick=${() => undo(undone)}>Undo</button>`}
  `;
}

/** Of the same action they are one request. @param {readonly NonNullable<ActionResult["undo"]>[]} undone */
async function undo(undone) {
  const [{ action, body }] = undone;
  await act(action, { ...body, targets: undone.flatMap(({ body: { targets } }) => targets) });
}
