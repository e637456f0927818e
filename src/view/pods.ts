import type { Child } from "../cronjob/api/job.ts";
import { failureLine } from "../cronjob/api/failure_line.ts";
import { exitLine } from "../runtime/exit_line.ts";
import type { Cause, RunView } from "./cron_job_view.ts";
import { refusedPod, type ViewInput } from "./look.ts";
import { type PodFailure, presentPods, type Wait } from "./pod_facts.ts";

/** Returns why an active Job makes no progress. */
export function whyPending(child: Child, input: ViewInput): Cause {
  const { pods } = input;
  if (child.isSuspended) return { reason: "JobSuspended", message: "the Job is suspended: its spec.suspend is true" };
  const refused = refusedPod(child, input);
  if (refused) return { reason: refused.reason, message: `it has no Pod: ${refused.message}` };
  const present = presentPods(child, pods);
  for (const { waiting, hasStarted } of present) {
    if (waiting) return { reason: waiting.reason, message: describeWait(waiting, hasStarted) };
  }
  if (pods && present.length === 0) return { reason: "NoPod", message: "it has no Pod" };
  return { reason: "PodNotReady", message: "no Pod of it has been ready yet" };
}

/** Returns why an active run was tried again; undefined where no Pod shows a failure. */
export function whyTriedAgain({ metadata: { name }, failedPods }: Child, input: ViewInput): Cause | undefined {
  const failure = podThatFailed(name, input);
  if (!failure) return undefined;
  const attempt = failedPods?.most === undefined
    ? "it has failed before, and is tried again"
    : `attempt ${failedPods.count} of ${failedPods.most} failed`;
  return { reason: failure.reason ?? "Error", message: `${attempt}: ${inWords(failure)}`, job: name };
}

function describeWait({ reason, message, container, before }: Wait, hasStarted: boolean): string {
  const detail = message ? `: ${quoted(message)}` : "";
  if (!before) {
    return hasStarted
      ? `its container ${container} waits: ${reason}${detail}`
      : `its Pod has not started: ${reason}${detail}`;
  }
  const which = `its ${before.isInit ? "init container" : "container"} ${container}`;
  return reason === "CrashLoopBackOff"
    ? `${which} ends and is started again and again (${reason}): ${exitLine(before)}`
    : `${which} ended (${exitLine(before)}), and waits to be started again: ${reason}${detail}`;
}

/** Returns why a run failed, as far as its Pods, or else its Job, say. */
export function whyFailed(run: RunView | undefined, input: ViewInput): Cause {
  const failure = podThatFailed(run?.job, input);
  if (failure) return { reason: failure.reason ?? "Error", message: inWords(failure) };
  const gone = run?.terminated ? " (its Job is gone, as failedJobs is KeepUntilSuccess)" : "";
  return { reason: run?.reason ?? "JobFailed", message: failureLine(run ?? {}) + gone };
}

/** Returns in a short line why a run has not succeeded; empty where there is nothing to say. */
export function whyUnsuccessful(run: RunView, input: ViewInput): string {
  if (run.outcome === "Failed") return whyFailed(run, input).message;
  const child = input.jobs.find(({ metadata }) => metadata.name === run.job);
  if (run.outcome === "Running" && child) return whyTriedAgain(child, input)?.message ?? "";
  if (run.outcome === "Pending" && child) return whyPending(child, input).message;
  return run.reason ?? "";
}

function inWords(failure: PodFailure): string {
  return exitLine({ ...failure, initContainer: failure.isInit ? failure.container : undefined });
}

/** Returns the failed Pod of a Job whose container ended last; undefined where no Pod shows a failure. */
export function podThatFailed(
  job: string | undefined,
  { jobs, pods = [] }: ViewInput,
): (PodFailure & { readonly pod: string }) | undefined {
  const uid = jobs.find(({ metadata }) => metadata.name === job)?.metadata.uid;
  if (uid === undefined) return undefined;
  return pods.filter(({ jobUid }) => jobUid === uid)
    .flatMap(({ name, failure }) => failure ? [{ ...failure, pod: name }] : [])
    .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))[0];
}

/** Text with quotation marks of its own stays as it is. */
function quoted(text: string): string {
  return text.includes('"') ? text : `"${text}"`;
}
