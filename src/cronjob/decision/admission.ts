import { type Child, isGoingAway, takesPlace } from "../api/job.ts";
import type { Settings } from "../api/settings.ts";
import type { Admission } from "./findings.ts";
import type { DecisionInput, Refusal } from "./input.ts";
import { jobNameFor } from "./job_template.ts";
import type { RunRequest } from "./run_request.ts";
import { waitFor } from "./waits.ts";

/**
 * Says what becomes of a request to run: it is done already, was refused just now, or is the concurrency policy's to admit.
 * `isMissed`: it is caught up with, one run after the other.
 */
export function admission<Of extends RunRequest>(
  input: DecisionInput,
  children: readonly Child[],
  request: Of | undefined,
  { isMissed = false }: { readonly isMissed?: boolean } = {},
): Admission<Of> {
  if (request === undefined) return { kind: "none" };
  const { cronJob, facts } = input;
  const { settings } = cronJob;
  const jobName = jobNameFor(cronJob, request);
  const exists = input.jobs.some(({ metadata }) => metadata.name === jobName) ||
    (request.trigger === "Manual" && facts?.triggers?.has(request.id));
  if (exists) return { kind: "done", request };
  const refusal = findRefusal(input, jobName);
  if (refusal) return { kind: "failed", request, message: refusal.message, since: refusal.since };
  const answer = isMissed && request.trigger === "Schedule"
    ? admitMissed(settings, children, request.scheduledTime)
    : admit(settings, children);
  if (answer.kind === "start") return { ...answer, request };
  if (request.trigger === "Schedule" || settings.policy === "Queue") {
    return { ...waitFor(answer.by, settings), request };
  }
  return { kind: "skip", request, message: whySkipped(settings.policy, answer.by) };
}

/** Returns why a Job cannot be created just now; another one that may exist all the same holds it back too. */
export function findRefusal({ refusals }: DecisionInput, jobName: string): Refusal | undefined {
  return refusals?.get(jobName) ?? refusals?.values().find(({ isUncertain }) => isUncertain);
}

function whySkipped(policy: "Forbid" | "Allow" | string, by: readonly Child[]): string {
  return policy === "Forbid"
    ? "Not starting job because prior execution is running and concurrency policy is Forbid"
    : `Not starting job because ${by.length} are running, as many as maxConcurrentRuns allows`;
}

/** The answer of the concurrency policy to one more run. */
export type PolicyAnswer =
  | { readonly kind: "start"; readonly replaces: readonly Child[] }
  /** Active Jobs hold it back, at least one. */
  | { readonly kind: "hold"; readonly by: readonly Child[] };

/**
 * A Job counts as active until it has finished or is gone, whatever made it. One whose deletion is under way still runs,
 * so Forbid waits for it; Replace need not delete it again.
 */
export function admit({ policy, maxActive }: Settings, children: readonly Child[]): PolicyAnswer {
  const active = children.filter(takesPlace);
  if (active.length < maxActive) return { kind: "start", replaces: [] };
  if (policy !== "Replace") return { kind: "hold", by: active };
  const excess = active.slice(0, active.length - maxActive + 1);
  return { kind: "start", replaces: excess.filter((child) => !isGoingAway(child)) };
}

/** The same to a missed run of `catchUp: All`: it comes after older ones, and replaces nothing. */
function admitMissed(settings: Settings, children: readonly Child[], time: number): PolicyAnswer {
  const active = children.filter(takesPlace);
  const older = active.filter(({ scheduledTime = Infinity }) => scheduledTime < time);
  if (older.length >= settings.maxParallel) return { kind: "hold", by: older };
  return active.length >= settings.maxActive ? { kind: "hold", by: active } : { kind: "start", replaces: [] };
}
