import type { Row } from "../../wire.ts";
import { pageOf, Remedy, RowActions } from "../actions/row_actions.tsx";
import { Tick } from "../actions/selection_bar.tsx";
import { NextOfAll } from "../header.tsx";
import { useMemo, useState } from "preact/hooks";
import { memo } from "../parts/memo.ts";
import { address } from "../model/address.ts";
import { type Group, groupsOf } from "../model/groups.ts";
import { grouped } from "../model/numbers.ts";
import { nameOf, sorted } from "../model/order.ts";
import { select } from "../model/selection.ts";
import { useValue } from "../model/value.ts";
import { Blank, Button } from "../parts/elements.tsx";
import { NoMatch } from "../parts/no_match.tsx";
import { LastWords, lastWordsOfRows } from "../parts/last_words.tsx";
import { Schedule } from "../parts/schedule.tsx";
import { Marks, StateLabel } from "../parts/state_mark.tsx";
import { useSteady } from "../parts/steady.ts";
import { Strip } from "../parts/strip.tsx";
import { LastSuccess, NextRun, Since } from "../parts/time_text.tsx";
import { TimelinePanel } from "../timeline/panel.tsx";

/** So many are drawn at first: each takes a moment. */
const FIRST = 50;
/** In the picture of the day: those that need attention, then those that run and come next. */
const PICTURED = 12;

/** CronJobs that need attention, the worst first. */
export function Attention({ rows, total }: { rows: readonly Row[]; total: number }) {
  const { params } = useValue(address);
  const trouble = useMemo(() => rows.filter(({ needsAttention }) => needsAttention), [rows]);
  const { steady, onWork } = useSteady(trouble, params.q);
  const lastWords = useValue(lastWordsOfRows);
  const groups = useMemo(() => groupsOf(steady, lastWords), [steady, lastWords]);
  const [count, setCount] = useState(FIRST);
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
          <ol class="card trouble listed" onPointerMove={onWork} onFocusIn={onWork}>
            {groups.slice(0, count).map(({ key, rows }) =>
              rows[1] ? <Shared key={key} rows={rows} /> : <Trouble key={key} row={rows[0]} />
            )}
          </ol>
        )}
      {count < groups.length && (
        <Button class="plain" onClick={() => setCount(Infinity)}>
          Show {grouped(groups.length - count)} more
        </Button>
      )}
      {pictured.length > 0 && (
        <section class="day stack" aria-labelledby="day">
          <h2 id="day">
            Around now{" "}
            {trouble.length > PICTURED && (
              <span class="quiet fine">{PICTURED} of the {grouped(trouble.length)} that need you</span>
            )}
          </h2>
          <TimelinePanel rows={pictured} hours={24} isStill />
        </section>
      )}
    </>
  );
}

/** One CronJob in two lines; what else there is of it is opened. */
const Trouble = memo(({ row }: { row: Row }) => {
  const [isOpen, setOpen] = useState(false);
  const { state, cause, schedule, zone } = row;
  const name = nameOf(row);
  return (
    <li class={`trouble-row is-${state}`} data-row={row.id}>
      <Tick rows={[row]} label={name} />
      <StateLabel state={state} />
      <h2 title={name}>
        <a href={pageOf(row)} dir="auto">{name}</a>
        <Marks row={row} />
      </h2>
      <p class={isOpen ? "cause long" : "cause"} title={cause?.message}>
        <bdi>{cause?.message}</bdi> <LastWords row={row} />
      </p>
      <div class="runs">
        <Strip row={row} />
      </div>
      <p class="since line num">
        <Since row={row} />
        <LastSuccess row={row} />
      </p>
      <div class="bar actions">
        {!isOpen && <Remedy row={row} />}
        <MoreButton of={name} isOpen={isOpen} onToggle={setOpen} />
      </div>
      {isOpen && (
        <div class="more stack">
          <RowActions row={row} isListed />
          <p class="line num">
            <span class="quiet">next</span>
            <NextRun row={row} />
            <Schedule text={schedule} isInWords />
            <bdi class="quiet">{zone}</bdi>
          </p>
        </div>
      )}
    </li>
  );
});

/** Several CronJobs of one cause, which is said once. */
function Shared({ rows }: Pick<Group, "rows">) {
  const [isOpen, setOpen] = useState(false);
  const [first] = rows;
  const since = rows.reduce((oldest, row) => (row.since ?? Infinity) < (oldest.since ?? Infinity) ? row : oldest);
  return (
    <>
      <li class={`trouble-row shared is-${first.state}`} data-row={first.id}>
        <StateLabel state={first.state} />
        <h2 title={rows.map(nameOf).join("\n")}>
          <a href={pageOf(first)} dir="auto">{nameOf(first)}</a> and {rows.length - 1} more
        </h2>
        <p class="cause" title={first.cause?.message}>
          <bdi>{first.cause?.message}</bdi>{" "}
          {rows.map((row) => <LastWords key={row.id} row={row} isSaid={row !== first} />)}
        </p>
        <p class="since line num">
          <Since row={since} />
        </p>
        <div class="bar actions">
          <Button onClick={() => select(rows.map(({ id }) => id), true)}>Select {rows.length}</Button>
          <MoreButton of={`the ${rows.length}`} isOpen={isOpen} onToggle={setOpen} />
        </div>
      </li>
      {isOpen && rows.map((row) => <Trouble key={row.id} row={row} />)}
    </>
  );
}

function MoreButton({ of, isOpen, onToggle }: { of: string; isOpen: boolean; onToggle: (isOpen: boolean) => void }) {
  return (
    <Button
      class="icon"
      title="More"
      aria-label={`More of ${of}`}
      aria-expanded={isOpen}
      onClick={() => onToggle(!isOpen)}
    >
      …
    </Button>
  );
}

/** Nothing is wrong. */
function Calm({ rows, isFiltered }: { rows: readonly Row[]; isFiltered: boolean }) {
  if (isFiltered && rows.length === 0) {
    return <NoMatch />;
  }
  return (
    <Blank icon="fine" title={isFiltered ? "None of these needs you" : "Nothing needs you"}>
      <p class="num">
        <NextOfAll all={rows} />
      </p>
    </Blank>
  );
}
