// @ts-check
import { html } from "../html.js";
import { grouped } from "../model/numbers.js";

/** Where rows will stand, as long as none has come. @param {{ what: string, received?: number, total?: number }} props */
export function Loading({ what, received = 0, total }) {
  const progress = total === undefined ? "" : ` ${grouped(received)} of ${grouped(total)}`;
  return html`
    <div class="loading" role="status">
      <p>Loading ${what}…${progress}</p>
      ${[0, 1, 2].map((index) => html`<div key=${index} class="skeleton" aria-hidden="true"></div>`)}
    </div>
  `;
}
