import { hasZoneInside } from "../api/settings.ts";
import type { Block, Findings } from "../decision/findings.ts";
import { haltedSince, NEVER_TWICE_OFF, type PlannedEvent, specProblem } from "./events.ts";

/** Returns what the author should know about a spec that is blocked, or that works but not for ever. */
export function specWarnings(
  { input: { cronJob, neverTwice }, block, obstacle }: Findings,
): PlannedEvent[] {
  const { generation } = cronJob.metadata;
  if (block) return block.isFault ? [aboutFault(block, generation)] : [];
  const { schedule } = cronJob.settings;
  return [
    ...obstacle ? [specProblem(obstacle.reason, obstacle.message, generation)] : [],
    ...cronJob.settings.neverTwice && !neverTwice ? [specProblem("NeverTwiceOff", NEVER_TWICE_OFF, generation)] : [],
    ...hasZoneInside(schedule) ? [zoneInside(schedule, generation)] : [],
  ];
}

function aboutFault(
  { reason, message, since }: Block & { readonly isFault: true },
  generation: number | undefined,
): PlannedEvent {
  return since === undefined
    ? specProblem(reason, message, generation)
    : haltedSince(since, reason, message, generation);
}

function zoneInside(schedule: string, generation: number | undefined): PlannedEvent {
  const message = `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see ` +
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
  return specProblem("UnsupportedSchedule", message, generation);
}
