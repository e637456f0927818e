// @ts-check
/** @import { RowRun } from "../../wire.ts" */
/** @import { RunViewOutcome } from "../../../view/cron_job_view.ts" */
import { html } from "../html.js";
import { duration, fullTime } from "../model/times.js";

/** In words, as in "7 succeeded". @type {Readonly<Record<RunViewOutcome, string>>} */
export const OUTCOMES = {
  Succeeded: "succeeded",
  Failed: "failed",
  Running: "running",
  Pending: "not started yet",
  Skipped: "skipped",
  Missed: "missed",
  Unknown: "unknown",
};

/** What a run was, in a line. @param {RowRun} run @param {string} zone */
export function runInWords({ at, outcome, ms, trigger, reason }, zone) {
  return [
    `${fullTime(at, zone)}: ${OUTCOMES[outcome]}`,
    ...ms === undefined ? [] : [`took ${duration(ms)}`],
    ...reason === undefined ? [] : [reason],
    ...trigger === undefined ? [] : [TRIGGERS[trigger]],
  ].join(", ");
}

/** @type {Readonly<Record<NonNullable<RowRun["trigger"]>, string>>} */
const TRIGGERS = { Manual: "by hand", Backfill: "by a back-fill" };

/**
 * A run as a picture that stands on `y`: how it ended by its shape too, not by colour alone. A plain function, as a page
 * has thousands of them.
 *
 * @param {{ outcome: RunViewOutcome, x: number, y: number, width: number, height: number, title?: string }} run
 */
export function runShape({ outcome, title, ...place }) {
  const shape = SHAPES[outcome]({ ...place, centre: place.x + place.width / 2 });
  return html`<g class=${`run is-${outcome}`}>${title && html`<title>${title}</title>`}${shape}</g>`;
}

/** @typedef {{ x: number, y: number, width: number, height: number, centre: number }} Place */

/** @param {Place} place */
function bar({ x, y, width, height }) {
  return html`<rect x=${x} y=${y - height} width=${width} height=${height} rx="1" />`;
}

/** @param {Place} place @param {number} size */
function cross({ centre, y }, size) {
  const middle = y - size - 1;
  return html`<path class="stroke" d=${`M${centre - size} ${middle - size}l${2 * size} ${2 * size}m0 ${-2 * size}l${
    -2 * size
  } ${2 * size}`} />`;
}

/** @type {Readonly<Record<RunViewOutcome, (place: Place) => import("preact").VNode>>} */
const SHAPES = {
  Succeeded: bar,
  // A bar with a cross on top
  Failed: (place) => {
    const height = Math.max(3, place.height - 8);
    return html`${bar({ ...place, height })}${cross({ ...place, y: place.y - height - 0.5 }, 2.5)}`;
  },
  // A frame
  Running: ({ x, y, width, height }) =>
    html`<rect class="stroke moving" x=${x + 0.75} y=${y - height} width=${
      Math.max(1.5, width - 1.5)
    } height=${height} rx="1" />`,
  // Three dots
  Pending: ({ centre, y }) =>
    html`
      <circle cx=${centre} cy=${y - 2} r="1.5" />
      <circle cx=${centre} cy=${y - 7} r="1.5" />
      <circle cx=${centre} cy=${y - 12} r="1.5" />
    `,
  // A ring
  Skipped: ({ centre, y }) => html`<circle class="stroke" cx=${centre} cy=${y - 4} r="2.75" />`,
  // A ring of dashes
  Missed: ({ centre, y }) => html`<circle class="stroke dashed" cx=${centre} cy=${y - 4} r="2.75" />`,
  // A line
  Unknown: ({ x, y, width }) => html`<rect x=${x} y=${y - 2} width=${width} height="2" />`,
};
