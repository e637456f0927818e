// @ts-check
/** @import { Row } from "../../wire.ts" */
import { html, useMemo } from "../html.js";
import { useNow } from "../model/clock.js";
import { fullTime, lasting, nearTime, VIEWERS_ZONE } from "../model/times.js";

/** An instant on the wall clock of a CronJob's zone; hovering shows it in the viewer's. @param {{ at: number, zone: string, isFull?: boolean }} props */
export function When({ at, zone, isFull = false }) {
  const now = useNow();
  const hover = useHover(at, zone);
  return html`
    <time datetime=${new Date(at).toISOString()} title=${hover}>${isFull
      ? fullTime(at, zone).slice(0, -zone.length - 1)
      : nearTime(at, zone, now)}</time>
  `;
}

/** @param {number} at @param {string} zone */
function useHover(at, zone) {
  return useMemo(() => {
    const own = fullTime(at, zone);
    return zone === VIEWERS_ZONE ? own : `${own}\n${fullTime(at, VIEWERS_ZONE)}, where you are`;
  }, [at, zone]);
}

/** How long ago something was. @param {{ at: number, zone: string }} props */
export function Ago({ at, zone }) {
  const now = useNow();
  const hover = useHover(at, zone);
  return html`
    <time class="num" datetime=${new Date(at).toISOString()} title=${hover}>${lasting(now - at)}</time>
  `;
}

/** Which zone a time is of, where that is not the viewer's: it is not taken for another. @param {{ of: string }} props */
function Zone({ of }) {
  return of === VIEWERS_ZONE ? null : html`
    <span class="zone quiet"><bdi>${of}</bdi></span>
  `;
}

/** Since when a CronJob is in its state, and what that adds up to. @param {{ row: Row }} props */
export function Since({ row: { since, zone, state, failuresInARow: { count, atLeast } } }) {
  return html`
    ${since !== undefined && html`
      <span>since <${When} at=${since} zone=${zone} /><${Zone} of=${zone} /></span>
      <span class="quiet">(<${Ago} at=${since} zone=${zone} />)</span>
    `}
    ${state === "Failing" && count > 1 && html`<b>${atLeast && "at least "}${count} in a row</b>`}
  `;
}

/** What becomes of a run whose time comes while others are active. */
const EXPECTED = {
  Start: "",
  Skip: "will be skipped",
  Wait: "will wait for the active run",
  Replace: "will replace the active run",
};

/** When the next run starts, and how soon. @param {{ row: Row }} props */
export function NextRun({ row: { nextRun, zone, state } }) {
  const now = useNow();
  if (nextRun === undefined) return html`<span class="quiet">${state === "Ended" ? "no more" : "none"}</span>`;
  if (nextRun.kind === "unknown") return html`<span class="quiet" title=${nextRun.message}>not known</span>`;
  const { startsAt, expected } = nextRun;
  return html`
    <span><${When} at=${startsAt} zone=${zone} /><${Zone} of=${zone} /></span>
    <span class="countdown num">${startsAt > now ? `in ${lasting(startsAt - now)}` : "now"}</span>
    ${expected !== "Start" && html`<span class="quiet">(${EXPECTED[expected]})</span>`}
  `;
}
