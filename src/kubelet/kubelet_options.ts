import type { EventSink } from "../runtime/event_recorder.ts";
import type { RuntimeOptions } from "./open_runtimes.ts";
import type { PodContext, SharedOptions } from "./pod_context.ts";

export interface KubeletOptions extends Partial<Pick<PodContext, "logLimits" | "sessions">>, SharedOptions {
  /** An absolute path: containers run elsewhere. Pods live in `<dataDir>/pods`. */
  dataDir: string;
  /** @default the host name in lower case */
  nodeName?: string;
  /** Where Events about Pods go. @default nowhere */
  recorder?: EventSink;
  /** Pods at work at a time; more wait for their turn. @default {110} */
  maxPods?: number;
  /** What runs containers. @default plain processes */
  runtimes?: RuntimeOptions;
  /** What a clean stop does to containers at work. @default {"end"} */
  onStop?: OnStop;
  /** How long a clean stop lets containers end by themselves. @default {5_000} */
  stopGraceMs?: number;
  /** For the Node's `kubeletVersion`. @default {"v1.36.0"} */
  version?: string;
}

/** `leave`: to the next start of the program, which takes them up as it does after a crash. */
export type OnStop = "end" | "leave";
