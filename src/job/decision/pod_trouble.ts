import type { ContainerStatus } from "kubernetes-types/core/v1";
import type { DeepReadonly } from "../../kube/object.ts";
import type { Pod } from "../../kube/resource.ts";
import { exitLine, lastLineOf } from "../../runtime/exit_line.ts";
import { parseTime } from "../../base/epoch_ms.ts";

/** States that every container passes through: by themselves they explain nothing. */
const ON_THE_WAY = ["ContainerCreating", "PodInitializing"];

/**
 * Returns how the container that failed last ended, such as `exit 3: no such table`; undefined where no Pod says. Behind the
 * colon stands the last line of its termination message: what it wrote to its `terminationMessagePath` or, with
 * `FallbackToLogsOnError`, the end of its log.
 */
export function lastFailureIn(pods: readonly DeepReadonly<Pod>[]): string | undefined {
  const failures = pods.flatMap((pod) =>
    statusesOf(pod).flatMap(({ name, state, lastState }) => {
      const exit = [state?.terminated, lastState?.terminated].find((end) => end && end.exitCode !== 0);
      const isInit = pod.status?.initContainerStatuses?.some((init) => init.name === name);
      const initContainer = isInit ? name : undefined;
      return exit ? [{ exit: { ...exit, initContainer }, at: parseTime(exit.finishedAt) ?? 0 }] : [];
    })
  );
  if (failures.length === 0) return undefined;
  return exitLine(failures.reduce((last, failure) => failure.at >= last.at ? failure : last).exit);
}

/**
 * Returns what a Pod that does not start waits for, such as `pod hello-abcde waits: CreateContainerConfigError: secret
 * "token" not found`; undefined where no Pod says.
 */
export function waitIn(pods: readonly DeepReadonly<Pod>[]): string | undefined {
  const waits = pods.filter(({ status }) => status?.phase === "Pending").map((pod) => {
    const reason = waitOf(pod);
    return reason && `pod ${pod.metadata.name} waits: ${reason}`;
  });
  return waits.find((text) => text !== undefined);
}

function waitOf(pod: DeepReadonly<Pod>): string | undefined {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False") return withMessage(scheduled.reason ?? "Unscheduled", scheduled.message);
  const states = statusesOf(pod).flatMap(({ state }) => state?.waiting ? [state.waiting] : []);
  const best = states.find(({ reason, message }) => message || !ON_THE_WAY.includes(reason ?? "")) ?? states[0];
  return best && withMessage(best.reason ?? "Waiting", best.message);
}

function withMessage(reason: string, message: string | undefined): string {
  const line = lastLineOf(message ?? "");
  return line === "" ? reason : `${reason}: ${line}`;
}

function statusesOf({ status }: DeepReadonly<Pod>): readonly DeepReadonly<ContainerStatus>[] {
  return [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []];
}
