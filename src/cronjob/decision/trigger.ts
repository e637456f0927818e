import type { DecisionInput } from "./input.ts";
import type { ManualRun } from "./run_request.ts";

/** Returns the run that the trigger annotation asks for, until the request has been answered. */
export function pendingTrigger({ cronJob, now }: DecisionInput): ManualRun | undefined {
  const id = cronJob.requestedTrigger;
  return !id || id === cronJob.answeredTrigger ? undefined : { trigger: "Manual", id, at: now };
}
