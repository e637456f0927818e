import type { KubeClient } from "../kube/client.ts";
import type { Pod } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import type { ContainerRuntimes } from "./runtimes.ts";
import type { PodLogs } from "./files/pod_directory.ts";
import type { PodSessions } from "./pod_sessions.ts";

/** A line that a container has put out. */
export interface OutputLine {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly container: string;
  readonly line: string;
}

/** Why a container cannot be started, at least not now. */
export interface CannotStart {
  readonly pod: { readonly namespace: string; readonly name: string };
  /** That of the Event. */
  readonly reason: string;
  readonly message: string;
}

/** Options of a kubelet that it hands on to all of its Pods. */
export interface SharedOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Called for each line that a container puts out, in order within a container, some 200 ms late at most. */
  readonly onOutput?: ((output: OutputLine) => void) | undefined;
  /** Called when a container cannot be started, and again when the reason is another. */
  readonly onCannotStart?: (trouble: CannotStart) => void;
  /** Called before the files of a Pod are removed, maybe more than once. What it moves elsewhere stays. */
  readonly keepLogs?: (logs: PodLogs) => void;
}

/** The parts that all Pods of a kubelet share. */
export interface PodContext extends SharedOptions {
  readonly runtimes: ContainerRuntimes;
  /** By which clients connect to containers. */
  readonly sessions: PodSessions;
  readonly podsDirectory: string;
  readonly nodeName: string;
  readonly event: (pod: Pod, type: "Normal" | "Warning", reason: string, message: string) => void;
  /** Returns whether it is called for the first time with this text. */
  readonly isNews: (what: string) => boolean;
  /** Makes the Pod this node's. Resolves with false if it is gone, another's, or has changed meanwhile. */
  readonly take: (pod: Pod, signal: AbortSignal) => Promise<boolean>;
  /** Resolves when it is this caller's turn to start a container. */
  readonly turn: () => Promise<void>;
}
