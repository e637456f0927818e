import type { Row } from "../../wire.ts";
import { useNow } from "../model/clock.ts";
import { useZone, VIEWERS_ZONE } from "../model/times.ts";
import { distanceOf, nearTime } from "../../../view/times.ts";
import { fullTime, timeIn } from "../../../schedule/full_time.ts";

/** An instant on the wall clock that the visitor chose; hovering shows it in the zones of CronJob and viewer. */
export function When({ at, zone, isFull = false }: { at: number; zone: string; isFull?: boolean }) {
  const now = useNow();
  const shown = useZone(zone);
  return (
    <time datetime={new Date(at).toISOString()} title={inBothZones(at, zone)}>
      {isFull ? timeIn(shown, at) : nearTime(at, shown, now)}
    </time>
  );
}

function inBothZones(at: number, zone: string): string {
  const own = fullTime(at, zone);
  return zone === VIEWERS_ZONE ? own : `${own}\n${fullTime(at, VIEWERS_ZONE)}, where you are`;
}

/** How long ago something was. */
export function Ago({ at, zone }: { at: number; zone: string }) {
  const ago = distanceOf(at, useNow());
  return <time class="num" datetime={new Date(at).toISOString()} title={inBothZones(at, zone)}>{ago}</time>;
}

/** The zone that the times of a CronJob are shown in. */
export function ZoneName({ of }: { of: string }) {
  const zone = useZone(of);
  return <bdi class="quiet">{zone}</bdi>;
}

/** The zone of a time, where that is not the viewer's: it is not taken for another. */
function Zone({ of }: { of: string }) {
  const zone = useZone(of);
  return zone === VIEWERS_ZONE ? null : <bdi class="zone quiet">{zone}</bdi>;
}

/** Since when a CronJob is in its state. */
export function Since({ row: { since, zone, state, failuresInARow: { atLeast } } }: { row: Row }) {
  return since !== undefined && (
    <>
      <span>
        {state === "Failing" && atLeast && "at least "}since <When at={since} zone={zone} /> <Zone of={zone} />
      </span>
      <span class="quiet">
        (<Ago at={since} zone={zone} />)
      </span>
    </>
  );
}

/** How often it failed in a row, and how long ago it last succeeded. */
export function LastSuccess({ row: { lastSuccess, zone, state, failuresInARow: { count, atLeast } } }: { row: Row }) {
  return (
    <>
      <span class="quiet apart">
        {lastSuccess === undefined ? "no success known" : (
          <>
            succeeded <Ago at={lastSuccess} zone={zone} /> ago
          </>
        )}
      </span>
      {state === "Failing" && count > 1 && <b class="apart">{atLeast && "at least "}{count} in a row</b>}
    </>
  );
}

/** The fate of a run whose time comes while others are active. */
const EXPECTED = {
  Start: "",
  Wait: "waits if a run is active then",
  Replace: "will replace the active run",
};

/** When the next run starts, and how soon. */
export function NextRun({ row: { nextRun, zone, state } }: { row: Row }) {
  const now = useNow();
  if (nextRun === undefined) return <span class="quiet">{state === "Ended" ? "no more" : "none"}</span>;
  if (nextRun.kind === "unknown") return <span class="quiet" title={nextRun.message}>not known</span>;
  const { startsAt, expected } = nextRun;
  return (
    <>
      <span>
        <When at={startsAt} zone={zone} /> <Zone of={zone} />
      </span>
      <span class="countdown num">{startsAt > now ? `in ${distanceOf(now, startsAt)}` : "now"}</span>
      {expected !== "Start" && <span class="quiet" title={EXPECTED[expected]}>({EXPECTED[expected]})</span>}
    </>
  );
}
