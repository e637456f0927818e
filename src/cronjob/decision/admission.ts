import type { Child } from "../api/job.ts";
import { admit } from "./concurrency.ts";
import type { Admission } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import { jobNameFor } from "./job_template.ts";
import type { RunRequest } from "./run_request.ts";

/** Says what becomes of a request to run: it is done already, was refused just now, or is the concurrency policy's to admit. */
export function admission<Of extends RunRequest>(
  input: DecisionInput,
  children: readonly Child[],
  request: Of | undefined,
): Admission<Of> {
  if (request === undefined) return { kind: "none" };
  const { cronJob, facts, refusals } = input;
  const jobName = jobNameFor(cronJob, request);
  const exists = input.jobs.some(({ metadata }) => metadata.name === jobName) ||
    (request.trigger === "Manual" && facts?.triggers?.has(request.id));
  if (exists) return { kind: "done", request };
  const refusal = refusals?.get(jobName) ?? refusals?.values().find(({ isUncertain }) => isUncertain);
  if (refusal) return { kind: "failed", request, message: refusal.message };
  return { ...admit(cronJob.settings, children), request };
}
