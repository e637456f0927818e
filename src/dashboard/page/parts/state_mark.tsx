import type { Row } from "../../wire.ts";
import type { State } from "../../../view/cron_job_view.ts";
import { rows } from "../model/live_rows.ts";
import { hasNamesake } from "../model/order.ts";
import { MEANINGS } from "../model/states.ts";
import { useValue } from "../model/value.ts";

/** Each state has a shape of its own, on 16 by 16: colour alone says too little. */
const SHAPES: Readonly<Record<State, string>> = {
  // Two arrowheads against each other
  Contested: "M1 3l5.5 5L1 13zM15 3L9.5 8l5.5 5z",
  // A diamond with a cross in it
  Invalid:
    "M8 .8L15.2 8 8 15.2.8 8zM5.9 4.8L4.8 5.9 6.9 8l-2.1 2.1 1.1 1.1L8 9.1l2.1 2.1 1.1-1.1L9.1 8l2.1-2.1-1.1-1.1L8 6.9z",
  // An octagon
  Stopped: "M5 1h6l4 4v6l-4 4H5l-4-4V5zM4.5 7v2h7V7z",
  // A barred circle
  Blocked: "M8 1a7 7 0 110 14A7 7 0 018 1zm0 2a5 5 0 00-4 8L11 4a5 5 0 00-3-1zm4 2l-7 7a5 5 0 007-7z",
  // A cross
  Failing: "M3.6 1.8L8 6.2l4.4-4.4 1.8 1.8L9.8 8l4.4 4.4-1.8 1.8L8 9.8l-4.4 4.4-1.8-1.8L6.2 8 1.8 3.6z",
  // A triangle with an exclamation mark
  Overdue: "M8 1l7.5 14H.5zM7 6v4h2V6zm0 5.2v1.9h2v-1.9z",
  // An hourglass
  Pending: "M3 1h10v2.6L9.6 8l3.4 4.4V15H3v-2.6L6.4 8 3 3.6zm2.4 2L8 6.4 10.6 3zM8 9.6L5.4 13h5.2z",
  // A bell
  Late: "M8 1a5 5 0 015 5v4l2 2.5H1L3 10V6a5 5 0 015-5zM6 13.5h4a2 2 0 01-4 0z",
  // A stopwatch
  Slow: "M6 0h4v2H9v1.1A6.5 6.5 0 118 3V2H6zm1 6v4.4h2V6z",
  // A calendar with one day left
  Stale: "M1.5 2.5h13V15h-13zm2 4V13h9V6.5zM9 9.5h2.5V12H9z",
  // A question mark
  Suspicious:
    "M4 5.6C4 2.9 5.8 1 8.2 1S12.4 2.7 12.4 5c0 2.9-3.1 3.3-3.1 5.5H7c0-3.3 3-3.6 3-5.4C10 3.900 9.200 3.200 8.200 3.200S6.400 4 6.400 5.600zM6.900 12.300h2.500V15H6.900z",
  // A ring with gaps
  Missed:
    "M7 1.1v2.1A5 5 0 003.2 7H1.1A7 7 0 017 1.1zM9 1.1A7 7 0 0114.9 7h-2.1A5 5 0 009 3.2zM1.1 9h2.1A5 5 0 007 12.8v2.1A7 7 0 011.1 9zm11.7 0h2.1A7 7 0 019 14.9v-2.1A5 5 0 0012.8 9z",
  // Two bars
  Paused: "M3.5 2h3v12h-3zM9.5 2h3v12h-3z",
  // A crescent
  Suspended: "M6.2 1.3A7 7 0 1014.7 10 5.8 5.8 0 016.2 1.3z",
  // A triangle that points onwards
  Running: "M3.5 1.5l10 6.5-10 6.5z",
  // A clock
  Waiting: "M8 1a7 7 0 110 14A7 7 0 018 1zm0 2a5 5 0 100 10A5 5 0 008 3zm-.9 1.6h1.8v3l2 1.3-1 1.5-2.8-1.9z",
  // A filled square
  Ended: "M3 3h10v10H3z",
};

export function StateMark({ state }: { state: State }) {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path fill-rule="evenodd" d={SHAPES[state]} />
    </svg>
  );
}

/** The state as a shape and a word; hovering says why, or what it means. */
export function StateLabel({ state, why = MEANINGS[state] }: { state: State; why?: string | undefined }) {
  return (
    <span class={`state is-${state}`} title={why}>
      <StateMark state={state} />
      {state}
    </span>
  );
}

/** Names the API where another has a CronJob of this name, and says that annotations are ignored; hovering says why. */
export function Marks({ row }: { row: Row }) {
  const { apiVersion, notes } = row;
  return (
    <>
      {hasNamesake(row, useValue(rows).values()) && <Tag text={apiVersion} />}
      {notes.length > 0 && <Tag text="ignores an annotation" title={notes.join("\n")} />}
    </>
  );
}

function Tag({ text, title }: { text: string; title?: string }) {
  return (
    <>
      {" "}
      <span class="tag" title={title}>{text}</span>
    </>
  );
}
