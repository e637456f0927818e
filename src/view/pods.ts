import type { Child } from "../cronjob/api/job.ts";
import type { Cause, RunView } from "./cron_job_view.ts";
import type { ViewInput } from "./look.ts";
import type { ContainerFailure } from "./pod_facts.ts";

/** Why no Pod of an active Job has started. */
export function whyPending({ metadata: { uid } }: Child, { pods, events }: ViewInput): Cause {
  const own = pods?.filter(({ jobUid }) => jobUid === uid) ?? [];
  const waiting = own.find(({ waiting }) => waiting !== undefined)?.waiting;
  if (waiting) {
    const detail = waiting.message ? `: ${JSON.stringify(waiting.message)}` : "";
    return { reason: waiting.reason, message: `its Pod has not started: ${waiting.reason}${detail}` };
  }
  const refused = events?.findLast(({ regardingUid, reason }) => regardingUid === uid && reason === "FailedCreate");
  if (refused) return { reason: refused.reason, message: `it has no Pod: ${refused.message}` };
  if (pods && own.length === 0) return { reason: "NoPod", message: "it has no Pod" };
  return { reason: "PodNotReady", message: "no Pod of it has been ready yet" };
}

/** Why a run failed, as far as its Pods, or else its Job, tell. */
export function whyFailed(run: RunView | undefined, input: ViewInput): Cause {
  const failure = podThatFailed(run, input);
  if (failure) {
    const text = failure.message?.trim().split("\n").at(-1);
    return {
      reason: failure.reason ?? "Error",
      message: describe(failure) + (text ? `: ${JSON.stringify(text)}` : ""),
    };
  }
  const reason = run?.reason ?? "JobFailed";
  return { reason, message: run?.reason ?? "the last run failed" };
}

/** The Pod of a run whose container failed last; undefined where no Pod tells. */
export function podThatFailed(
  run: RunView | undefined,
  { jobs, pods = [] }: ViewInput,
): (ContainerFailure & { readonly pod: string }) | undefined {
  const uid = jobs.find(({ metadata }) => metadata.name === run?.job)?.metadata.uid;
  if (uid === undefined) return undefined;
  return pods.filter(({ jobUid }) => jobUid === uid)
    .flatMap(({ name, failure }) => failure ? [{ ...failure, pod: name }] : [])
    .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))[0];
}

function describe({ exitCode, reason }: ContainerFailure): string {
  return reason === undefined || reason === "Error" ? `exit ${exitCode}` : `${reason} (exit ${exitCode})`;
}
