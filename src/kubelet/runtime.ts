import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { ContainerSession, SessionRequest } from "../kube/container_session.ts";
import type { Notice, Refusal } from "./inputs/check.ts";
import type { Outcome, RunFiles, RuntimeName } from "./files/run_files.ts";

/** The reason why a container's program cannot be started. The message is worded as container runtimes do. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** One run of one container of a Pod. */
export interface RunOfContainer {
  readonly pod: Pod;
  readonly container: Container;
  readonly files: RunFiles;
}

/** The facts of an image that a start needs. */
export interface Image {
  readonly id: string;
  /** As in `USER`: a name or a number, and perhaps a group. Empty for root. */
  readonly user: string;
  /** A name or a number. */
  readonly stopSignal: string;
}

/** The preparations of a runtime before it starts a run. */
export interface Prepared {
  /** Variables that the runtime adds, and that `$(NAME)` may stand for. */
  readonly variables: Readonly<Record<string, string>>;
  readonly notices: readonly Notice[];
  /** Absent where images mean nothing. */
  readonly image?: Image;
}

/** A run to start, with all that had to be asked of the API server for it. */
export interface StartOrder extends RunOfContainer {
  /** The variables of {@linkcode Prepared}, and `env` and `envFrom` of the manifest, resolved. */
  readonly env: Readonly<Record<string, string>>;
  readonly volumes: string;
  /** How long the next run waits after this one; only written down. */
  readonly backOffMs: number;
  readonly image?: Image | undefined;
}

/** A container at work. */
export interface RunningContainer {
  readonly startedAt: EpochMs;
  /** Resolves with how it ended. Never rejects. */
  readonly ended: Promise<Outcome>;
  /** Has no effect on a container that has ended meanwhile. */
  signal(signal: "SIGTERM" | "SIGKILL"): void;
  /**
   * Runs a command in the container, for a client, a probe or a hook.
   *
   * @throws an error with a message for the client
   */
  open(request: SessionRequest): Promise<ContainerSession>;
  /** The time that the runtime itself takes for a command, besides the command's own. @default {0} */
  readonly execOverheadMs?: number | undefined;
}

/** How long a container that should have ended is waited for whose runtime cannot be asked, as one that was uninstalled. */
export const AWAY_MS = 60_000;

/**
 * Runs containers.
 *
 * Guarantees, whatever moment the program ends at
 * - Once at most: {@linkcode start} leaves an intent on disk first, and the same run never happens twice.
 * - Never late: a run that {@linkcode resume} calls unstarted does not start any more, except by another `start`.
 * - A known end: the next life's `resume` finds the container at work, or how it ended. That is its true exit code, or
 *   `ContainerStatusUnknown` where nothing is left that knows it; it is on disk before the container is removed.
 * - A whole log: all that the container wrote is in its file once `ended` resolves, or a line says why it is not.
 * - Containers go on when the program ends, except those that it has signalled.
 */
export interface ContainerRuntime {
  readonly name: RuntimeName;
  /** Returns the first thing in a Pod that it cannot run, whatever happens later. */
  refusalOf(pod: Pod): Refusal | undefined;
  /**
   * Makes ready what the container needs before it can be started.
   *
   * @param volumes the directory that holds the Pod's volumes by their names
   * @param signal aborted when the container is not to be started any more
   * @throws {ContainerConfigError} if something is not there now
   */
  prepare(run: RunOfContainer, volumes: string, signal: AbortSignal): Promise<Prepared>;
  /**
   * Creates the container and starts it.
   *
   * @throws {StartError} if it cannot be started
   */
  start(order: StartOrder): Promise<RunningContainer>;
  /**
   * Finds out what became of a run that a former life of the program decided on.
   *
   * @returns the container if it still works, the outcome if it is over, undefined if it never started and never will (it
   * may be started now, as the same run)
   */
  resume(run: RunOfContainer): Promise<RunningContainer | Outcome | undefined>;
  /**
   * Called when nothing of a Pod runs and nothing will. Removes what the runtime itself keeps of it, if anything. Never
   * rejects, and may take as long as the runtime is away.
   */
  podIsOver?(pod: Pod): Promise<void>;
  /**
   * Ends and removes what it runs for Pods of this data directory that are not known, where it can find that. Resolves once
   * that is done, or the runtime is closed; never rejects.
   */
  removeStrangers?(isKnown: (uid: string) => boolean): Promise<void>;
  /** Resolves once nothing is under way that the program must not leave. What runs goes on. */
  close?(): Promise<void>;
}
