// @ts-check
import { html } from "../html.js";

/** Where rows will stand, as long as none has come. @param {{ what: string, received?: number, total?: number }} props */
export function Loading({ what, received = 0, total }) {
  const progress = total === undefined ? "" : ` ${received.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return html`
    <div class="loading" role="status">
      <p>Loading ${what}…${progress}</p>
      ${[0, 1, 2].map((index) => html`<div key=${index} class="skeleton" aria-hidden="true"></div>`)}
    </div>
  `;
}
