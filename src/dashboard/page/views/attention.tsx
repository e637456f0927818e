// @ts-check
/** @import { Row } from "../../wire.ts" */
import { pageOf, RowActions } from "../actions/row_actions.js";
import { Tick } from "../actions/selection_bar.js";
import { NextOfAll } from "../header.js";
import { html, memo, useEffect, useMemo, useRef, useState } from "../html.js";
import { nameOf, sorted } from "../model/order.js";
import { needsSomebody } from "../model/states.js";
import { Blank } from "../parts/blank.js";
import { LastWords } from "../parts/last_words.js";
import { StateLabel } from "../parts/state_mark.js";
import { useSteady } from "../parts/steady.js";
import { Strip } from "../parts/strip.js";
import { NextRun, Since } from "../parts/time_text.js";
import { TimelinePanel } from "../timeline/panel.js";

/** So many are drawn at first, and so many more whenever the end comes near. */
const BATCH = 30;
/** In the picture of the day: those that need attention, then those that run and come next. */
const PICTURED = 12;

/** What needs attention, the worst first. @param {{ rows: readonly Row[], total: number }} props */
export function Attention({ rows, total }) {
  const trouble = useMemo(() => rows.filter(({ state }) => needsSomebody(state)), [rows]);
  const { steady, onWork } = useSteady(trouble);
  const [count, endRef] = useGrowing(steady.length);
  const pictured = useMemo(() => {
    const isPictured = new Set(trouble.slice(0, PICTURED).map(({ id }) => id));
    const running = rows.filter(({ state }) => state === "Running");
    for (const { id } of [...running, ...sorted(rows, "next")]) if (isPictured.size < PICTURED) isPictured.add(id);
    return rows.filter(({ id }) => isPictured.has(id));
  }, [rows]);
  return html`
    <h1 class="unseen">What needs you</h1>
    ${steady.length === 0
      ? html`<${Calm} rows=${rows} isFiltered=${rows.length < total} />`
      : html`<ol class="trouble" onPointerMove=${onWork} onFocusIn=${onWork}>
          ${steady.slice(0, count).map((row) => html`<${Trouble} key=${row.id} row=${row} />`)}
        </ol>`}
    <div ref=${endRef}>${count < steady.length && html`<p class="quiet">and ${steady.length - count} more…</p>`}</div>
    ${pictured.length > 0 && html`
      <section class="day" aria-labelledby="day">
        <h2 id="day">Around now</h2>
        <${TimelinePanel} rows=${pictured} hours=${24} isStill=${true} />
      </section>
    `}
  `;
}

const Trouble = memo((/** @type {{ row: Row }} */ { row }) => {
  const { state, cause, schedule, zone } = row;
  return html`
    <li class=${`trouble-row is-${state}`} data-row=${row.id}>
      <${Tick} row=${row} />
      <${StateLabel} state=${state} />
      <h2><a href=${pageOf(row)}><bdi>${nameOf(row)}</bdi></a></h2>
      <p class="since line num">
        <${Since} row=${row} />
      </p>
      <div class="runs">
        <${Strip} row=${row} />
      </div>
      <p class="next line num"><span class="quiet">next</span><${NextRun} row=${row} /></p>
      <div class="why">
        ${cause && html`<p class="cause"><bdi>${cause.message}</bdi></p>`}
        <${LastWords} row=${row} />
      </div>
      <${RowActions} row=${row} isListed=${true} />
      <p class="schedule line quiet"><code><bdi>${schedule}</bdi></code><bdi>${zone}</bdi></p>
    </li>
  `;
});

/** Nothing is wrong. @param {{ rows: readonly Row[], isFiltered: boolean }} props */
function Calm({ rows, isFiltered }) {
  if (isFiltered && rows.length === 0) {
    return html`
      <${Blank} icon="search" title="No CronJob matches">
        <p><a href="#/attention">Show all</a></p>
        </${Blank}>
    `;
  }
  return html`
    <${Blank} icon="fine" title=${isFiltered ? "None of these needs you" : "Nothing needs you"}>
      <p class="num">
        <${NextOfAll} all=${rows} />
      </p>
      </${Blank}>
  `;
}

/** How many of them are drawn: more as the end comes near. @param {number} total */
function useGrowing(total) {
  const [count, setCount] = useState(BATCH);
  const ref = useRef(/** @type {Element | null} */ (null));
  useEffect(() => {
    if (!ref.current || count >= total) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setCount(count + BATCH);
    }, { rootMargin: "600px" });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [count, total]);
  return /** @type {const} */ ([count, ref]);
}
