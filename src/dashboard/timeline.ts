import type { EpochMs } from "../schedule/epoch_ms.ts";
import { timeZone } from "../schedule/time_zone.ts";
import { lookAt, type ViewInput } from "../view/look.ts";
import { zoneOf } from "../cronjob/api/zone.ts";
import { plannedTimes } from "./planned.ts";
import { rowRunOf } from "./row.ts";
import type { ClockChange, Timeline, TimelineRow } from "./wire.ts";

/** What is asked about: a stretch of time, both ends included, between the first and the last instant. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** More of a row cannot be distinguished in a picture. */
const MAX_PLANNED = 400;

/** Returns the runs of a span, past and to come, with each change of a clock that its CronJobs go by. */
export function timelineOf(inputs: ReadonlyMap<string, ViewInput>, span: Span): Timeline {
  const zones = new Set(Array.from(inputs.values(), ({ cronJob }) => zoneOf(cronJob)));
  return {
    rows: Array.from(inputs, ([id, input]) => rowOf(id, input, span)),
    clockChanges: Array.from(zones).flatMap((zone) => clockChanges(zone, span)).sort((a, b) => a.at - b.at),
  };
}

function rowOf(id: string, input: ViewInput, span: Span): TimelineRow {
  const look = lookAt(input);
  // One more shows that there are more.
  const planned = [...plannedTimes(look, span).take(MAX_PLANNED + 1)];
  return {
    id,
    runs: look.runs.map(rowRunOf).filter(({ at, ms = 0 }) => at + ms >= span.from && at <= span.to),
    planned: planned.slice(0, MAX_PLANNED),
    hasMore: planned.length > MAX_PLANNED,
    passedOver: input.cronJob.passedOver.filter(({ after, before }) => before >= span.from && after <= span.to)
      .map(({ after, before }) => [after, before]),
  };
}

function clockChanges(name: string, { from, to }: Span): ClockChange[] {
  const zone = timeZone(name);
  const changes: ClockChange[] = [];
  for (let period = zone.periodAt(from); period.end <= to;) {
    const following = zone.periodAt(period.end);
    changes.push({ at: period.end, zone: name, minutes: (following.offsetMs - period.offsetMs) / 60_000 });
    period = following;
  }
  return changes;
}
