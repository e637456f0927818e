import type { EpochMs } from "../../base/epoch_ms.ts";
import { timeZone } from "../../schedule/time_zone.ts";
import type { KeptRun } from "../../view/kept_runs.ts";
import { knownSince } from "../../view/known_since.ts";
import { lookAt, lookBack, type ViewInput } from "../../view/look.ts";
import { timeOf } from "../../view/runs.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import type { Watched } from "../../view/watched.ts";
import { plannedRuns } from "./planned.ts";
import { rowRunOf } from "../rows/row.ts";
import type { ClockChange, RowRun, Timeline, TimelineRow } from "../wire.ts";

/** The span of a request: a stretch of time, both ends included, between the first and the last instant. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** More of a row cannot be distinguished in a picture. */
const MAX_PLANNED = 400;

/** A CronJob, with what is remembered of its runs from the start of the span on. */
export interface TimelineInput {
  readonly input: ViewInput;
  /** The newest first; undefined where nothing is remembered. */
  readonly kept?: readonly KeptRun[];
  /** Whether there are more in the span. */
  readonly isCut?: boolean;
}

/** Returns the runs of a span, past and to come, with each change of a clock that its CronJobs go by. */
export function timelineOf(
  inputs: ReadonlyMap<string, TimelineInput>,
  span: Span,
  watched?: Watched,
): Timeline {
  const zones = new Set(Array.from(inputs.values(), ({ input: { cronJob } }) => zoneOf(cronJob)));
  return {
    rows: Array.from(inputs, ([id, input]) => rowOf(id, input, span, watched)),
    clockChanges: Array.from(zones).flatMap((zone) => clockChanges(zone, span)).sort((a, b) => a.at - b.at),
  };
}

function rowOf(
  id: string,
  { input, kept, isCut = false }: TimelineInput,
  span: Span,
  watched: Watched | undefined,
): TimelineRow {
  const present = lookAt({ ...input, kept: kept ?? [] });
  const look = lookBack(present, input.cronJob.createdAt);
  // One more shows that there are more.
  const planned = Array.from(plannedRuns(look, span).take(MAX_PLANNED + 1), ({ startsAt }) => startsAt);
  const runs = look.runs.map(rowRunOf);
  const { createdAt = -Infinity } = input.cronJob;
  const oldestKept = isCut ? kept?.at(-1)?.run : undefined;
  const byCluster = knownSince(present) ?? input.now;
  // Without gaps all is remembered.
  const bySight = watched === undefined ? createdAt : watched.since ?? input.now;
  const since = oldestKept ? timeOf(oldestKept) : kept ? Math.min(bySight, byCluster) : byCluster;
  return {
    id,
    runs: runs.filter(({ at, ms = 0 }) => at + ms >= span.from && at <= span.to),
    knownSince: since > createdAt ? since : undefined,
    gaps: (watched?.gaps ?? []).filter(({ since, until }) => until >= span.from && since <= span.to)
      .map(({ since, until }): Stretch => [since, until]),
    planned: planned.slice(0, MAX_PLANNED),
    hasMore: planned.length > MAX_PLANNED,
    passedOver: input.cronJob.passedOver.filter(({ after, before }) => before >= span.from && after <= span.to)
      .flatMap(({ after, before }) => idleIn([after, before], runs, input.now)),
  };
}

type Stretch = readonly [from: EpochMs, to: EpochMs];

/** Returns the parts of a stretch in which no run was active. */
function idleIn(stretch: Stretch, runs: readonly RowRun[], now: EpochMs): Stretch[] {
  const active = runs.filter(({ outcome }) => outcome !== "Skipped" && outcome !== "Missed").map(
    ({ at, ms, outcome }): Stretch => [at, outcome === "Running" || outcome === "Pending" ? now : at + (ms ?? 0)],
  );
  return active.reduce<Stretch[]>(
    (parts, [start, end]) =>
      parts.flatMap(([from, to]): Stretch[] => {
        if (end <= from || start >= to) return [[from, to]];
        const around: Stretch[] = [[from, start], [end, to]];
        return around.filter(([from, to]) => from < to);
      }),
    [stretch],
  );
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
