import type { EpochMs } from "../../base/epoch_ms.ts";
import type { RunView } from "../../view/cron_job_view.ts";
import { timeZone } from "../../schedule/time_zone.ts";
import { knownSince } from "../../view/known_since.ts";
import { type Look, lookAt, lookBack, type ViewInput } from "../../view/look.ts";
import { runHistory } from "../../view/run_history.ts";
import { timeOf } from "../../view/runs.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import type { Watched } from "../../view/watched.ts";
import { plannedRuns } from "./planned.ts";
import { rowRunOf } from "../rows/row.ts";
import type { Calendar, ClockChange, RowRun, Timeline, TimelineRow } from "../wire.ts";

/** The span of a request: a stretch of time, both ends included, between the first and the last instant. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** More of a row cannot be distinguished in a picture. */
const MAX_PLANNED = 400;

/** A CronJob, with what is remembered of its runs of a span, newest first. */
export interface TimelineInput extends ViewInput {
  /** Whether there are more in the span. */
  readonly isCut?: boolean;
}

/** Returns the runs of a span, past and to come, with each change of a clock that its CronJobs go by. */
export function timelineOf(inputs: ReadonlyMap<string, TimelineInput>, span: Span): Timeline {
  const zones = new Set(Array.from(inputs.values(), ({ cronJob }) => zoneOf(cronJob)));
  return {
    rows: Array.from(inputs, ([id, input]) => rowOf(id, input, span)),
    clockChanges: Array.from(zones).flatMap((zone) => clockChanges(zone, span)).sort((a, b) => a.at - b.at),
  };
}

function rowOf(id: string, input: TimelineInput, span: Span): TimelineRow {
  const { look: present, since, cutAt = since, ...known } = knowledgeOf(input, span);
  const { cronJob: { createdAt = -Infinity, passedOver }, now } = input;
  const runs = lookBack(present, createdAt).runs.map(rowRunOf);
  return {
    id,
    ...known,
    runs: runs.filter(({ at, ms = 0 }) => at + ms >= span.from && at <= span.to),
    knownSince: cutAt > createdAt ? cutAt : undefined,
    passedOver: passedOver.filter(({ after, before }) => before >= span.from && after <= span.to)
      .flatMap(({ after, before }) => idleIn([after, before], runs, now)),
  };
}

/**
 * Returns what became of all runs of a span, also those of earlier CronJobs of the name, by the times they were due. A run
 * of a back-fill counts at its start.
 */
export function calendarOf(input: TimelineInput, span: Span): Calendar {
  const { look, since, ...known } = knowledgeOf(input, span);
  const isOld = since <= (input.cronJob.createdAt ?? -Infinity);
  return {
    ...known,
    runs: runsIn(look, span).map((run) => [timeOf(run), run.outcome]),
    // Before the CronJob was made, one of its name may have run.
    knownSince: isOld && input.watched === undefined ? undefined : since,
  };
}

/** Returns the runs that were due in a span, or started, newest first. */
export function runsIn(look: Look, { from, to }: Span): RunView[] {
  return runHistory(lookBack(look)).filter((run) => from <= timeOf(run) && timeOf(run) <= to);
}

/** Returns what is planned in a span, and since when runs of it are known but for gaps. */
function knowledgeOf(input: TimelineInput, span: Span) {
  const { kept, watched, isCut } = input;
  const look = lookAt(input);
  const byCluster = knownSince(look) ?? input.now;
  const oldestKept = isCut ? kept?.at(-1)?.run : undefined;
  // One more shows that there are more.
  const planned = Array.from(plannedRuns(look, span).take(MAX_PLANNED + 1), ({ startsAt }) => startsAt);
  return {
    look,
    since: kept ? Math.min(watched?.since ?? Infinity, byCluster) : byCluster,
    cutAt: oldestKept && timeOf(oldestKept),
    gaps: gapsIn(watched, span).map(({ since, until }): Stretch => [since, until]),
    planned: planned.slice(0, MAX_PLANNED),
    hasMore: planned.length > MAX_PLANNED,
  };
}

/** Returns the gaps that touch a span. */
export function gapsIn(watched: Watched | undefined, { from, to }: Span): Watched["gaps"] {
  return (watched?.gaps ?? []).filter(({ since, until }) => until >= from && since <= to);
}

type Stretch = readonly [from: EpochMs, to: EpochMs];

/** Returns the parts of a stretch in which no run was active, as far as their ends are known. */
function idleIn(stretch: Stretch, runs: readonly RowRun[], now: EpochMs): Stretch[] {
  const active = runs.filter(({ outcome }) => outcome !== "Skipped" && outcome !== "Missed").map(
    ({ at, ms = 0, outcome }): Stretch => [at, outcome === "Running" || outcome === "Pending" ? now : at + ms],
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
