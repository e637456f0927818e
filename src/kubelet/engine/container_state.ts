import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import { type Outcome, UNKNOWN_STATUS } from "../files/run_files.ts";

/** The answer of `inspect` for a container; engines agree on these fields. */
export interface InspectedContainer {
  readonly Id: string;
  readonly State: {
    readonly Status: string;
    readonly ExitCode: number;
    readonly OOMKilled: boolean;
    /** Of its first process; 0 if none works. */
    readonly Pid?: number;
    readonly StartedAt: string;
    readonly FinishedAt: string;
  };
  readonly Config?: { readonly StopSignal?: string | number };
}

/** How far a container has come. */
export type ContainerPhase = "unstarted" | "running" | "ended";

const PHASES: Readonly<Record<string, ContainerPhase>> = {
  configured: "unstarted",
  created: "unstarted",
  initialized: "unstarted",
  exited: "ended",
  stopped: "ended",
  dead: "ended",
};

/**
 * Returns how far a container has come. A status that is not listed, as `paused` or `removing`, still has processes.
 *
 * After a restart of the machine podman 4 calls a container that was running `created` again: one that has started once has
 * ended.
 */
export function phaseOf(container: InspectedContainer): ContainerPhase {
  const phase = PHASES[container.State.Status] ?? "running";
  return phase === "unstarted" && startOf(container) !== undefined ? "ended" : phase;
}

/** Engines write the year 1 for what has not happened. */
function instantOf(text: string): EpochMs | undefined {
  const instant = parseTime(text);
  return instant !== undefined && instant > 0 ? instant : undefined;
}

/** Returns when it started; undefined where it has not. */
export function startOf({ State }: InspectedContainer): EpochMs | undefined {
  return instantOf(State.StartedAt);
}

/** Returns how a container ended. */
export function outcomeOf(container: InspectedContainer, now: EpochMs): Outcome {
  const { ExitCode: exitCode, OOMKilled, FinishedAt } = container.State;
  const startedAt = startOf(container);
  const finishedAt = instantOf(FinishedAt);
  // After a restart of the machine an engine knows that it runs no more, and not how it ended; nor does it if the
  // container's monitor was killed, which it says by an exit code that there is not.
  if (finishedAt === undefined || exitCode < 0) {
    const end = finishedAt ?? now;
    return { ...UNKNOWN_STATUS, startedAt: Math.min(startedAt ?? end, end), finishedAt: end };
  }
  const reason = OOMKilled ? "OOMKilled" : exitCode === 0 ? "Completed" : "Error";
  // The two are read from clocks of different grain.
  return { exitCode, reason, startedAt: Math.min(startedAt ?? finishedAt, finishedAt), finishedAt };
}
