import type { ContainerStatus } from "kubernetes-types/core/v1";
import type { DeepReadonly } from "../../kube/object.ts";
import type { Pod } from "../../kube/resource.ts";
import { parseTime } from "../../schedule/epoch_ms.ts";

/** Characters of a container's last words. */
const MAX_LAST_LINE = 200;

/** States that every container passes through: by themselves they explain nothing. */
const ON_THE_WAY = ["ContainerCreating", "PodInitializing"];

/**
 * Returns how the last container failed that did, such as `container main of pod hello-abcde exited with code 3: no such
 * table`; undefined where no Pod says. Its last line is known where its termination message is: what it wrote to its
 * `terminationMessagePath` or, with `FallbackToLogsOnError`, the end of its log.
 */
export function lastFailureIn(pods: readonly DeepReadonly<Pod>[]): string | undefined {
  const failures = pods.flatMap((pod) =>
    statusesOf(pod).flatMap(({ name, state, lastState }) => {
      const exit = [state?.terminated, lastState?.terminated].find((one) => one && one.exitCode !== 0);
      return exit ? [{ pod, name, exit, at: parseTime(exit.finishedAt) ?? 0 }] : [];
    })
  );
  if (failures.length === 0) return undefined;
  const { pod, name, exit } = failures.reduce((last, one) => one.at >= last.at ? one : last);
  const line = lastLineOf(exit.message ?? "");
  const text = `container ${name} of pod ${pod.metadata.name} exited with code ${exit.exitCode}`;
  return line === "" ? text : `${text}: ${line}`;
}

/**
 * Returns what a Pod that does not start waits for, such as `pod hello-abcde waits: CreateContainerConfigError: secret
 * "token" not found`; undefined where no Pod says.
 */
export function waitIn(pods: readonly DeepReadonly<Pod>[]): string | undefined {
  const waits = pods.filter(({ status }) => (status?.phase ?? "Pending") === "Pending").map((pod) => {
    const reason = waitOf(pod);
    return reason && `pod ${pod.metadata.name} waits: ${reason}`;
  });
  return waits.find((text) => text !== undefined);
}

function waitOf(pod: DeepReadonly<Pod>): string | undefined {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False") return withMessage(scheduled.reason ?? "Unscheduled", scheduled.message);
  const states = statusesOf(pod).flatMap(({ state }) => state?.waiting ? [state.waiting] : []);
  const telling = states.find(({ reason, message }) => message || !ON_THE_WAY.includes(reason ?? "")) ?? states[0];
  return telling && withMessage(telling.reason ?? "Waiting", telling.message);
}

function withMessage(reason: string, message: string | undefined): string {
  const line = lastLineOf(message ?? "");
  return line === "" ? reason : `${reason}: ${line}`;
}

function statusesOf({ status }: DeepReadonly<Pod>): readonly DeepReadonly<ContainerStatus>[] {
  return [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []];
}

/** Without control characters and the colours that they make. */
function lastLineOf(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}(\[[\d;]*[A-Za-z])?/gu, " ").trim());
  const line = [...lines.findLast((line) => line !== "") ?? ""];
  return line.length > MAX_LAST_LINE ? `${line.slice(0, MAX_LAST_LINE).join("")}…` : line.join("");
}
