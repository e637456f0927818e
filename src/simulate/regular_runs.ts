import type { Findings, Wait } from "../cronjob/decision/findings.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { RefusalReason, RegularRuns } from "./runs.ts";

/** Runs as regular as the schedule, or when the first of them finds no room; or times that get none while Jobs are active. */
export type Regularity =
  | { readonly kind: "regular"; readonly runs: RegularRuns }
  | { readonly kind: "crowded"; readonly at: EpochMs }
  | HeldBack;

/** Scheduled times that wait in vain: each until the next takes its place. */
export interface HeldBack {
  readonly kind: "held back";
  readonly times: readonly EpochMs[];
  readonly reason: RefusalReason;
  /** When the time after them is decided on. */
  readonly until: EpochMs;
}

/** The most times that are refused in a row: each takes some 2 µs, in which others get no turn. */
const MOST_AT_ONCE = 20_000;

interface Ahead {
  readonly to: EpochMs;
  readonly durationMs: number;
  /** When the active Jobs end. */
  readonly ends: readonly EpochMs[];
}

/**
 * Looks at the runs to come where nothing but the schedule decides any more: each starts at its time if, until `to`, fewer are
 * active then than may be. Where they may not, the times up to the first end wait. Undefined where something else decides.
 */
export function regularityOf(findings: Findings, ahead: Ahead): Regularity | undefined {
  const { due: { schedule }, scheduled } = findings;
  if (!followsScheduleAlone(findings) || !schedule) return undefined;
  if (scheduled.kind === "wait") return heldBack(findings, schedule, scheduled, ahead);
  return scheduled.kind === "none" ? regular(findings, schedule, ahead) : undefined;
}

function regular(findings: Findings, schedule: Schedule, { to, durationMs, ends }: Ahead): Regularity {
  const { input: { cronJob: { settings, flavour } }, due: { next, offsetMs } } = findings;
  const { maxActive, endTime = Infinity } = settings;
  const unitMs = flavour.nameUnitSeconds * 1_000;
  const last = Math.min(to - offsetMs - 1, endTime);
  const times: EpochMs[] = [];
  // The oldest of these runs that is still active.
  let oldest = 0;
  for (let time = next; time !== undefined && time <= last;) {
    const startsAt = time + offsetMs;
    while (times[oldest]! + durationMs <= time) oldest++;
    const before = ends.filter((endsAt) => endsAt > startsAt).length;
    if (times.length - oldest + before >= maxActive) return { kind: "crowded", at: startsAt };
    times.push(time);
    // Times of one unit would share a Job's name. The end of an excluded stretch moves an interval off its grid.
    const endOfUnit = (Math.floor(time / unitMs) + 1) * unitMs - 1;
    time = schedule.anchoredAt(time).next(endOfUnit);
  }
  return { kind: "regular", runs: { times, offsetMs, durationMs } };
}

/** Of the times before the first end, as many as are refused at once, the last is left to a decision: its run may start then. */
function heldBack(
  { input: { cronJob: { settings }, now }, due: { line, offsetMs } }: Findings,
  schedule: Schedule,
  { reason }: Wait,
  { to, ends }: Ahead,
): HeldBack | undefined {
  // A line keeps its times.
  if (line) return undefined;
  const last = Math.min(Math.min(to, ...ends) - offsetMs - 1, settings.endTime ?? Infinity);
  const times = Iterator.from(schedule.between(now - offsetMs, last)).take(MOST_AT_ONCE).toArray();
  const newest = times.pop();
  return newest === undefined ? undefined : {
    kind: "held back",
    times,
    reason: reason === "JobQueued" ? "Superseded" : reason,
    until: newest + offsetMs,
  };
}

/** Returns whether nothing but the schedule decides. Expectations do: each run is judged by them. */
function followsScheduleAlone({ input, block, due, start, manual, backfill }: Findings): boolean {
  return input.cronJob.settings.expect === undefined && block === undefined && !due.stopped &&
    start.open.length === 1 && start.dropped.length === 0 &&
    (manual.kind === "none" || manual.kind === "done") &&
    backfill.progress?.state !== "Running";
}
