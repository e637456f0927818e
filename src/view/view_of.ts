import { apiVersionOf } from "../kube/resource.ts";
import { actionsFor } from "./actions.ts";
import type { Cause, CronJobView, FailuresView } from "./cron_job_view.ts";
import { type Look, lookAt, lookBack, type ViewInput } from "./look.ts";
import { nextRunOf } from "./next_run.ts";
import { isOfSchedule } from "./runs.ts";
import { stateOf } from "./states.ts";
import { zoneOf } from "../cronjob/api/zone.ts";

/**
 * Returns one CronJob as people see it, by the very functions that decide about it, and by nothing that only a controller
 * knows: every look, from anywhere, sees the same. What cannot be known is left open.
 */
export function viewOf(input: ViewInput): CronJobView {
  return viewOfLook(lookAt(input));
}

/** Returns the same of a look that was taken already. */
export function viewOfLook(look: Look): CronJobView {
  const { cronJob } = look.input;
  const { flavour, metadata, settings } = cronJob;
  const found = stateOf(look);
  return {
    apiVersion: apiVersionOf(flavour.resource),
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    schedule: settings.schedule,
    zone: zoneOf(cronJob),
    ...found,
    active: look.active.map(({ metadata }) => metadata.name),
    lastRuns: look.runs,
    lastSuccess: look.state.lastSuccess,
    failuresInARow: failuresOf(look),
    nextRun: nextRunOf(look),
    durations: look.state.durations,
    actions: actionsFor(look, found),
    runner: look.input.runner,
    notes: notesOf(look.input, found.cause),
  };
}

/** A status without counts leaves it to the Jobs that history keeps, and to what is remembered besides. */
function failuresOf(look: Look): FailuresView {
  const { input: { cronJob, kept }, state, findings } = look;
  const { consecutiveFailures: count } = state;
  if (findings.failures) return { count: findings.failures.count, atLeast: false };
  const { failedLimit } = cronJob.settings;
  const atLeast = !cronJob.flavour.openStatus && failedLimit !== undefined && count >= failedLimit;
  if (!atLeast || !kept?.length) return { count, atLeast };
  const { runs } = lookBack(look, cronJob.createdAt);
  const ended = runs.filter(isOfSchedule).filter(({ outcome }) => outcome === "Failed" || outcome === "Succeeded");
  const success = ended.findIndex(({ outcome }) => outcome === "Succeeded");
  return { count: Math.max(count, success < 0 ? ended.length : success), atLeast: false };
}

/** Returns what people should know of the annotations besides the cause. */
function notesOf({ notes, cronJob }: ViewInput, cause: Cause | undefined): readonly string[] {
  return (notes ?? cronJob.settings.problems).filter((note) => note !== cause?.message);
}
