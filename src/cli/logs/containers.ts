import type { Pod } from "../../kube/resource.ts";
import { readPod } from "../../view/pod_facts.ts";

export interface Container {
  readonly pod: string;
  readonly name: string;
  /** Tells one start of it from the next. */
  readonly start: string;
}

/** Those that have written, or may have: also one that waits for its next start. */
export function containersWithLogs({ metadata, status }: Pod): Container[] {
  return [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []]
    .filter(({ state, lastState, restartCount = 0 }) =>
      state?.running || state?.terminated || lastState?.terminated || restartCount > 0
    )
    .map(({ name, containerID, restartCount = 0 }) => ({
      pod: metadata.name,
      name,
      start: containerID || String(restartCount),
    }));
}

/** Why nothing of a Pod has started; undefined where that is not so, or nothing is wrong. */
export function waitOf(pod: Pod): string | undefined {
  const { name, waiting } = readPod(pod);
  if (!waiting) return undefined;
  return `Pod ${name} has not started: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ""}`;
}
