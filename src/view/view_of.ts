import { actionsFor } from "./actions.ts";
import type { Cause, CronJobView, FailuresView } from "./cron_job_view.ts";
import { type Look, lookAt, lookBack, type ViewInput } from "./look.ts";
import { nextRunOf } from "./next_run.ts";
import { RECENT_RUNS } from "./kept_runs.ts";
import { failedInARow } from "./runs.ts";
import { stateOf } from "./states.ts";
import { zoneOf } from "../cronjob/api/zone.ts";

/**
 * Returns one CronJob as people see it, by the very functions that decide about it, and by nothing that only a controller
 * knows: every look, from anywhere, sees the same.
 */
export function viewOf(input: ViewInput): CronJobView {
  return viewOfLook(lookAt(input));
}

/** Returns the view of a look that was taken already. */
export function viewOfLook(present: Look): CronJobView {
  const { cronJob } = present.input;
  const look = lookBack(present, cronJob.createdAt);
  const { flavour, metadata, settings } = cronJob;
  const found = stateOf(look);
  return {
    apiVersion: flavour.apiVersion,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    schedule: settings.schedule,
    zone: zoneOf(cronJob),
    ...found,
    active: look.active.map(({ metadata }) => metadata.name),
    lastRuns: look.runs.slice(0, Math.max(RECENT_RUNS, present.runs.length)),
    lastSuccess: look.state.lastSuccess,
    failuresInARow: failuresOf(look),
    nextRun: nextRunOf(look),
    durations: look.state.durations,
    actions: actionsFor(look, found),
    runner: look.input.runner,
    notes: notesOf(look.input, found.cause),
  };
}

/** Counts failures in a row: by the status, or where it has no counts, by the kept Jobs and the remembered runs. */
function failuresOf(look: Look): FailuresView {
  const { input: { cronJob, kept, keptFailures }, state, findings, runs } = look;
  const { consecutiveFailures: count } = state;
  if (findings.failures) return { count: findings.failures.count, atLeast: false };
  const { failedLimit } = cronJob.settings;
  const atLeast = !cronJob.flavour.openStatus && failedLimit !== undefined && count >= failedLimit;
  if (!atLeast || !kept?.length) return { count, atLeast };
  const known = Math.max(count, failedInARow(runs).length);
  if (keptFailures === undefined || known > keptFailures.count) return { count: known, atLeast: false };
  return { count: keptFailures.count, atLeast: keptFailures.atLeast };
}

/** Returns what people should know of the annotations besides the cause. */
function notesOf({ notes, cronJob }: ViewInput, cause: Cause | undefined): readonly string[] {
  return (notes ?? cronJob.settings.problems).filter((note) => note !== cause?.message);
}
