// @ts-check
import { html } from "../html.js";
import { useNow } from "../model/clock.js";
import { headlines, link, rows } from "../model/live_rows.js";
import { lasting, VIEWERS_ZONE, wallOf } from "../model/times.js";
import { useValue } from "../model/value.js";

/** Says that what is shown may be old; where there is nothing to show, the view says so itself. */
export function LinkBanner() {
  const state = useValue(link);
  const isEmpty = useValue(rows).size === 0;
  const lines = useValue(headlines);
  return html`<div role="status">${
    lines.map((line) =>
      html`
        <p class="banner"><b><bdi>${line}</bdi></b></p>
      `
    )
  }${
    !isEmpty && (state.kind === "offline" || state.kind === "trouble") &&
    html`
      <p class="banner">
        <${Why} />
      </p>
    `
  }</div>`;
}

function Why() {
  const state = useValue(link);
  const now = useNow();
  if (state.kind === "trouble") return html`<b>What is shown may be old.</b> <bdi>${state.message}</bdi>`;
  if (state.kind !== "offline") return html``;
  const { since, retryAt } = state;
  return html`<b>Offline since ${wallOf(since, VIEWERS_ZONE).clock.slice(0, 5)}.</b> What is shown is from then. ${
    retryAt > now ? `Trying again in ${lasting(retryAt - now)}.` : "Trying again…"
  }`;
}
