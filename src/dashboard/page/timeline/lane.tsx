import type { ClockChange, Row, RowRun, TimelineRow } from "../../wire.ts";
import type { Scale } from "./scale.ts";
import { logsOf, pageOf } from "../actions/row_actions.tsx";
import { useState } from "preact/hooks";
import { nameOf } from "../model/order.ts";
import { useZone, VIEWERS_ZONE } from "../model/times.ts";
import { fullTime } from "../../../schedule/full_time.ts";
import { runInWords, runShape } from "../parts/run_shapes.tsx";
import { StateMark } from "../parts/state_mark.tsx";
import { inWords } from "../parts/strip.tsx";
import { stretchesOf, ticksOf, xOf } from "./scale.ts";

const HEIGHT = 34;
const GROUND = 28;
const BAR = 18;

const UNEVENTFUL = [
  ["gaps", "unknown", "No history was kept"],
  ["passedOver", "passed-over", "Nothing was started"],
] as const;

/** One CronJob over time: what ran to scale, what is planned hollow. */
export function Lane(
  { row, known, clockChanges, scale, now }: {
    row: Row;
    known: TimelineRow | undefined;
    clockChanges: readonly ClockChange[];
    scale: Scale;
    now: number;
  },
) {
  const runs = known?.runs ?? row.lastRuns;
  const planned = known?.planned ?? (row.nextRun?.kind === "known" ? [row.nextRun.startsAt] : []);
  const nowX = xOf(scale, now);
  const zone = useZone(VIEWERS_ZONE);
  const unknownTo = known?.knownSince === undefined ? 0 : xOf(scale, known.knownSince);
  return (
    <li class={`lane is-${row.state}`} data-row={row.id}>
      <a class="lane-name" href={pageOf(row)} title={`${nameOf(row)}: ${row.state}`}>
        <StateMark state={row.state} />
        <bdi>{nameOf(row)}</bdi>
      </a>
      <div class="lane-time">
        <svg
          width="100%"
          height={HEIGHT}
          role="img"
          aria-label={`${inWords(runs.toReversed())}; ${planned.length}${known?.hasMore ? " or more" : ""} planned`}
        >
          {ticksOf(scale, zone).map(({ at, x, isDay }) => (
            <path key={at} class={isDay ? "grid day" : "grid"} d={`M${x} 0V${HEIGHT}`} />
          ))}
          <path class="ground" d={`M0 ${GROUND + 0.5}H${scale.width}`} />
          {unknownTo > 0 && (
            <Hatched
              of="unknown"
              title={`Not all runs are known before ${fullTime(known!.knownSince!, row.zone)}`}
              x={0}
              end={Math.min(unknownTo, nowX)}
            />
          )}
          {UNEVENTFUL.flatMap(([list, of, words]) =>
            (known?.[list] ?? []).map(([from, to]) => (
              <Hatched
                key={`${of} ${from}`}
                of={of}
                title={`${words} from ${fullTime(from, row.zone)} to ${fullTime(to, row.zone)}`}
                x={xOf(scale, from)}
                end={xOf(scale, to)}
              />
            ))
          )}
          {clockChanges.filter(({ zone }) => zone === row.zone).map((change) => (
            <Notch key={change.at} change={change} x={xOf(scale, change.at)} />
          ))}
          {plannedOn(scale, planned, known?.hasMore ?? false).map(({ from, to, count }) => (
            <Planned
              key={`${count} ${Math.round(from)}`}
              from={from}
              to={to}
              title={count === 1
                ? `planned for ${fullTime(planned.find((at) => xOf(scale, at) === from)!, row.zone)}`
                : `${count} planned`}
            />
          ))}
          {runs.toReversed().map((run) => (
            <Run key={`${run.at} ${run.job}`} run={run} row={row} scale={scale} now={now} />
          ))}
          <path class="now" d={`M${nowX} 0V${HEIGHT}`} />
        </svg>
      </div>
    </li>
  );
}

function Run({ run, row, scale, now }: { run: RowRun; row: Row; scale: Scale; now: number }) {
  const { at, ms, outcome, job } = run;
  const [isPointedAt, setPointedAt] = useState(false);
  const x = xOf(scale, at);
  const end = xOf(scale, outcome === "Running" ? now : at + (ms ?? 0));
  if (end < 0 || x > scale.width) return null;
  const title = isPointedAt ? runInWords(run, row.zone) : undefined;
  // Keyboard users reach runs by the CronJob's page, which lists them.
  const open = job === undefined ? undefined : () => location.hash = logsOf(row, job);
  return (
    <g class={open ? "opens" : ""} onClick={open} onPointerEnter={() => setPointedAt(true)}>
      {runShape({ outcome, title, x, y: GROUND, width: Math.max(3, end - x), height: BAR })}
    </g>
  );
}

/** The plan goes on to the end beyond the times that were sent. */
function plannedOn(scale: Scale, planned: readonly number[], hasMore: boolean) {
  const stretches = stretchesOf(planned, scale, 6);
  const last = stretches.at(-1);
  return hasMore && last ? [...stretches.slice(0, -1), { ...last, to: Math.max(last.to, scale.width) }] : stretches;
}

/** A tick for a planned run, or a stretch for runs that stand too close. */
function Planned({ from, to, title }: { from: number; to: number; title: string }) {
  const [width, height] = [Math.max(2.5, to - from + 2), BAR - 6.5];
  return (
    <rect
      class={from === to ? "planned" : "planned dense"}
      x={from - 1}
      y={GROUND - BAR + 6}
      {...{ width, height }}
      rx="1"
    >
      <title>{title}</title>
    </rect>
  );
}

/** A hatched stretch, explained by its title. */
function Hatched({ of, title, x, end }: { of: "passed-over" | "unknown"; title: string; x: number; end: number }) {
  const width = Math.max(4, end - x);
  return (
    <g class={`hatched ${of}`}>
      <title>{title}</title>
      <rect x={x} y={GROUND - 10} width={width} height="10" />
      <path d={hatchingOf(x, width)} />
    </g>
  );
}

/** Returns the lines of a hatching, as the legend draws them too. */
export function hatchingOf(x: number, width: number, y = GROUND): string {
  const count = Math.min(400, Math.ceil(width / 5));
  return Array.from({ length: count }, (_, index) => `M${x + index * 5} ${y}l4 -10`).join("");
}

/** The mark of a clock change. */
function Notch({ change: { minutes, zone }, x }: { change: ClockChange; x: number }) {
  const way = minutes > 0 ? "forward" : "back";
  return (
    <g class="notch">
      <title>{`The clocks of ${zone} go ${way} by ${Math.abs(minutes)} minutes`}</title>
      <path d={`M${x} 0V${HEIGHT}`} />
      <path d={minutes > 0 ? `M${x} 0h7l-7 7z` : `M${x} 0h-7l7 7z`} />
    </g>
  );
}
