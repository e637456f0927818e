import type { Findings } from "../cronjob/decision/findings.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { RegularRuns } from "./runs.ts";

/** Runs as regular as the schedule, or when the first of them finds no room. */
export type Regularity =
  | { readonly kind: "regular"; readonly runs: RegularRuns }
  | { readonly kind: "crowded"; readonly at: EpochMs };

/**
 * Looks at the runs to come where nothing but the schedule decides any more: each starts at its time if, until `to`, fewer are
 * active then than may be. Undefined where something else decides.
 */
export function regularityOf(
  findings: Findings,
  { to, durationMs, ends }: { readonly to: EpochMs; readonly durationMs: number; readonly ends: readonly EpochMs[] },
): Regularity | undefined {
  const { input: { cronJob: { settings, flavour } }, due: { schedule, next, offsetMs } } = findings;
  if (!followsScheduleAlone(findings) || !schedule) return undefined;
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

/** Returns whether nothing but the schedule decides. Expectations do: each run is judged by them. */
function followsScheduleAlone({ input, block, due, start, scheduled, manual, backfill }: Findings): boolean {
  return input.cronJob.settings.expect === undefined && block === undefined && !due.stopped &&
    start.open.length === 1 && start.dropped.length === 0 &&
    scheduled.kind === "none" && (manual.kind === "none" || manual.kind === "done") &&
    backfill.progress?.state !== "Running";
}
