import type { Row } from "../../wire.ts";
import { pageOf, RowActions } from "../actions/row_actions.tsx";
import { Tick } from "../actions/selection_bar.tsx";
import { NextOfAll } from "../header.tsx";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { memo } from "../parts/memo.ts";
import { address } from "../model/address.ts";
import { nameOf, sorted } from "../model/order.ts";
import { needsAttention } from "../model/states.ts";
import { useValue } from "../model/value.ts";
import { Blank } from "../parts/blank.tsx";
import { LastWords } from "../parts/last_words.tsx";
import { StateLabel } from "../parts/state_mark.tsx";
import { useSteady } from "../parts/steady.ts";
import { Strip } from "../parts/strip.tsx";
import { NextRun, Since } from "../parts/time_text.tsx";
import { TimelinePanel } from "../timeline/panel.tsx";

/** So many are drawn at first, and so many more whenever the end comes near. */
const BATCH = 30;
/** In the picture of the day: those that need attention, then those that run and come next. */
const PICTURED = 12;

/** What needs attention, the worst first. */
export function Attention({ rows, total }: { rows: readonly Row[]; total: number }) {
  const { params } = useValue(address);
  const trouble = useMemo(() => rows.filter(needsAttention), [rows]);
  const { steady, onWork } = useSteady(trouble, params.q);
  const [count, endRef] = useGrowing(steady.length);
  const pictured = useMemo(() => {
    const isPictured = new Set(trouble.slice(0, PICTURED).map(({ id }) => id));
    const running = rows.filter(({ state }) => state === "Running");
    for (const { id } of [...running, ...sorted(rows, "next")]) if (isPictured.size < PICTURED) isPictured.add(id);
    return rows.filter(({ id }) => isPictured.has(id));
  }, [rows]);
  return (
    <>
      <h1 class="unseen">What needs you</h1>
      {steady.length === 0
        ? <Calm rows={rows} isFiltered={rows.length < total} />
        : (
          <ol class="trouble" onPointerMove={onWork} onFocusIn={onWork}>
            {steady.slice(0, count).map((row) => <Trouble key={row.id} row={row} />)}
          </ol>
        )}
      <div ref={endRef}>{count < steady.length && <p class="quiet">and {steady.length - count} more…</p>}</div>
      {pictured.length > 0 && (
        <section class="day" aria-labelledby="day">
          <h2 id="day">Around now</h2>
          <TimelinePanel rows={pictured} hours={24} isStill />
        </section>
      )}
    </>
  );
}

const Trouble = memo(({ row }: { row: Row }) => {
  const { state, cause, schedule, zone } = row;
  return (
    <li class={`trouble-row is-${state}`} data-row={row.id}>
      <Tick row={row} />
      <StateLabel state={state} />
      <h2>
        <a href={pageOf(row)}>
          <bdi>{nameOf(row)}</bdi>
        </a>
      </h2>
      <p class="since line num">
        <Since row={row} />
      </p>
      <div class="runs">
        <Strip row={row} />
      </div>
      <p class="next line num">
        <span class="quiet">next</span>
        <NextRun row={row} />
      </p>
      <div class="why">
        {cause && (
          <p class="cause">
            <bdi>{cause.message}</bdi>
          </p>
        )}
        <LastWords row={row} />
      </div>
      <RowActions row={row} isListed />
      <p class="schedule line quiet">
        <code>
          <bdi>{schedule}</bdi>
        </code>
        <bdi>{zone}</bdi>
      </p>
    </li>
  );
});

/** Nothing is wrong. */
function Calm({ rows, isFiltered }: { rows: readonly Row[]; isFiltered: boolean }) {
  if (isFiltered && rows.length === 0) {
    return (
      <Blank icon="search" title="No CronJob matches">
        <p>
          <a href="#/attention">Show all</a>
        </p>
      </Blank>
    );
  }
  return (
    <Blank icon="fine" title={isFiltered ? "None of these needs you" : "Nothing needs you"}>
      <p class="num">
        <NextOfAll all={rows} />
      </p>
    </Blank>
  );
}

/** How many of them are drawn: more as the end comes near. */
function useGrowing(total: number) {
  const [count, setCount] = useState(BATCH);
  const ref = useRef<HTMLDivElement | null>(null);
  useEffect(() => {
    if (!ref.current || count >= total) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setCount(count + BATCH);
    }, { rootMargin: "600px" });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [count, total]);
  return [count, ref] as const;
}
