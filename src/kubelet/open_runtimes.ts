import type { Clock } from "../base/clock.ts";
import type { ContainerRuntime } from "./runtime.ts";
import { ContainerRuntimes } from "./runtimes.ts";
import type { EngineName } from "./engine/api/engine_error.ts";
import { EngineRuntime } from "./engine/engine_runtime.ts";
import { openApi } from "./engine/api/open_api.ts";
import type { PodContext } from "./context.ts";
import { ProcessRuntime } from "./process/process_runtime.ts";
import type { RuntimeName } from "./files/run_files.ts";

const ENGINES: readonly EngineName[] = ["podman", "docker"];

/** What the operator says of container runtimes. */
export interface RuntimeOptions {
  /** Those that Pods may choose among; the first is for Pods that don't choose. */
  readonly allowed: readonly RuntimeName[];
  /** The operator's own arguments for an engine. @default none */
  readonly engineArgs?: readonly string[];
  /** For the variable TZ of containers from images; a zone of this machine's shell may mean nothing there. */
  readonly timeZone?: string;
  /** The engine's network for Pods. @default what the engine is configured for */
  readonly network?: string;
  /** Paths of the machine that containers may mount what lies under. @default none */
  readonly hostPaths?: readonly string[];
  /** Whether containers may be privileged. @default false */
  readonly privileged?: boolean;
}

interface Parts extends Partial<RuntimeOptions> {
  readonly clock: Clock;
  readonly dataDir: string;
  readonly event: PodContext["event"];
}

/** Makes the container runtimes of a node. */
export function openRuntimes(parts: Parts): ContainerRuntimes {
  const engines = ENGINES.map((engine) => openEngine(engine, parts));
  return new ContainerRuntimes([new ProcessRuntime(parts.clock), ...engines], parts.allowed ?? ["process"]);
}

function openEngine(engine: EngineName, parts: Parts): ContainerRuntime {
  const { clock, dataDir, allowed = [], engineArgs = [], hostPaths = [], privileged = false } = parts;
  // They are one engine's: the first that is allowed, or any that once was.
  const [whose = engine] = allowed.filter((name) => name !== "process");
  const api = openApi(engine, { args: whose === engine ? engineArgs : [], dataDir, clock });
  return new EngineRuntime({ ...parts, api, hostPaths, privileged });
}
