import type { Pod } from "../../kube/resource.ts";
import { readPod } from "../../view/pod_facts.ts";

export interface Container {
  readonly pod: string;
  readonly name: string;
  /** Distinguishes one start of it from the next. */
  readonly start: string;
  /** Whether it was started before, and ended. */
  readonly hasPrevious: boolean;
  /** Why it could not be started, so that there is no log of it. */
  readonly startError: string | undefined;
}

/** Returns what stands before each line of a container where there are several, or several Pods. */
export function prefixOf(
  { pod, name }: Pick<Container, "pod" | "name">,
  all: readonly Pick<Container, "pod" | "name">[],
  pods: number,
): string {
  if (all.some((other) => other.pod === pod && other.name !== name)) return `${pod}/${name} | `;
  return pods > 1 ? `${pod} | ` : "";
}

/** Returns those that have written, or may have: also one that waits for its next start. */
export function containersWithLogs({ metadata, status }: Pod): Container[] {
  return [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []]
    .filter(({ state, lastState, restartCount = 0 }) =>
      state?.running || state?.terminated || lastState?.terminated || restartCount > 0
    )
    .map(({ name, containerID, restartCount = 0, state, lastState }) => ({
      pod: metadata.name,
      name,
      start: containerID || String(restartCount),
      hasPrevious: lastState?.terminated !== undefined || restartCount > 0,
      // A running container has a log, however it ended before.
      startError: state?.running ? undefined : startErrorOf(state?.terminated ?? lastState?.terminated),
    }));
}

function startErrorOf(end: { reason?: string; message?: string } | undefined): string | undefined {
  return end?.reason === "StartError" ? end.message : undefined;
}

/** Returns why nothing of a Pod has started; undefined where that is not so, or nothing is wrong. */
export function waitOf(pod: Pod): string | undefined {
  const { name, hasStarted, waiting } = readPod(pod);
  if (!waiting || hasStarted) return undefined;
  return `Pod ${name} has not started: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ""}`;
}
