import type { Child } from "../api/job.ts";
import { admit, admitMissed } from "./concurrency.ts";
import type { Admission } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
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
  const { cronJob, facts, refusals } = input;
  const { settings } = cronJob;
  const jobName = jobNameFor(cronJob, request);
  const exists = input.jobs.some(({ metadata }) => metadata.name === jobName) ||
    (request.trigger === "Manual" && facts?.triggers?.has(request.id));
  if (exists) return { kind: "done", request };
  const refusal = refusals?.get(jobName) ?? refusals?.values().find(({ isUncertain }) => isUncertain);
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

function whySkipped(policy: "Forbid" | "Allow" | string, by: readonly Child[]): string {
  return policy === "Forbid"
    ? "Not starting job because prior execution is running and concurrency policy is Forbid"
    : `Not starting job because ${by.length} are running, as many as maxConcurrentRuns allows`;
}
