import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventSink } from "../runtime/event_recorder.ts";
import type { Logger } from "../telemetry/logging.ts";
import type { KnownOwner } from "./asked_runtime.ts";
import type { RuntimeOptions } from "./open_runtimes.ts";
import type { CannotStart, OutputLine, PodContext } from "./pod_context.ts";
import type { PodSessions } from "./pod_sessions.ts";
import type { LogLimits } from "./run_log.ts";

export interface KubeletOptions {
  client: KubeClient;
  clock: Clock;
  /** An absolute path: containers run elsewhere. Pods live in `<dataDir>/pods`. */
  dataDir: string;
  /** @default the host name in lower case */
  nodeName?: string;
  /** Where Events about Pods go. @default nowhere */
  recorder?: EventSink;
  /** Called for each line that a container puts out, in order within a container, some 200 ms late at most. */
  onOutput?: (output: OutputLine) => void;
  /** Called when a container cannot be started, and again when the reason is another. */
  onCannotStart?: (trouble: CannotStart) => void;
  keepLogs?: PodContext["keepLogs"];
  /** By which clients connect to containers. @default none do */
  sessions?: PodSessions;
  /** Pods at work at a time; more wait for their turn. @default {110} */
  maxPods?: number;
  /** What runs containers. @default plain processes */
  runtimes?: RuntimeOptions;
  /** Saves requests for the owners of Pods. @default all are asked for */
  knownOwner?: KnownOwner;
  /** What a clean stop does to containers at work. @default {"end"} */
  onStop?: OnStop;
  /** How long a clean stop lets containers end by themselves. @default {5_000} */
  stopGraceMs?: number;
  logLimits?: LogLimits;
  /** For the Node's `kubeletVersion`. @default {"v1.36.0"} */
  version?: string;
  logger?: Logger;
}

/** `leave`: to the next start of the program, which takes them up as it does after a crash. */
export type OnStop = "end" | "leave";
