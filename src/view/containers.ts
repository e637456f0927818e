import type { Pod } from "../kube/resource.ts";

/** A start of a container, as far as its log goes. */
export interface Container {
  readonly pod: string;
  readonly name: string;
  /** Distinguishes one start of it from the next, and from all others. */
  readonly start: string;
  /** Whether it writes no more. */
  readonly hasEnded: boolean;
  /** Whether it was started before, and ended. */
  readonly hasPrevious: boolean;
  /** Why it could not be started, so that there is no log of it. */
  readonly startError: string | undefined;
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
      start: `${metadata.name}/${name}/${containerID || restartCount}`,
      hasEnded: !state?.running,
      hasPrevious: lastState?.terminated !== undefined || restartCount > 0,
      // A running container has a log, however it ended before.
      startError: state?.running ? undefined : startErrorOf(state?.terminated ?? lastState?.terminated),
    }));
}

function startErrorOf(end: { reason?: string; message?: string } | undefined): string | undefined {
  return end?.reason === "StartError" ? end.message : undefined;
}
