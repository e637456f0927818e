import type { ContainerRuntime } from "./runtime.ts";
import { ContainerRuntimes } from "./runtimes.ts";
import type { EngineName } from "./engine/api/engine_error.ts";
import type { EngineOptions, MachineAccess } from "./engine/engine_options.ts";
import { EngineRuntime } from "./engine/engine_runtime.ts";
import { openApi } from "./engine/api/open_api.ts";
import { ProcessRuntime } from "./process/process_runtime.ts";
import type { RuntimeName } from "./files/run_files.ts";

const ENGINES: readonly EngineName[] = ["podman", "docker"];

/** The operator's settings of container runtimes. */
export interface RuntimeOptions extends Partial<MachineAccess> {
  /** The runtimes that Pods may choose among; the first is for Pods that don't choose. */
  readonly allowed: readonly RuntimeName[];
  /** The operator's own arguments for an engine. @default none */
  readonly engineArgs?: readonly string[];
}

type Parts = Partial<RuntimeOptions> & Pick<EngineOptions, "clock" | "dataDir" | "event">;

/** Makes the container runtimes of a node. */
export function openRuntimes(parts: Parts): ContainerRuntimes {
  const engines = ENGINES.map((engine) => openEngine(engine, parts));
  return new ContainerRuntimes([new ProcessRuntime(parts.clock), ...engines], parts.allowed ?? ["process"]);
}

function openEngine(engine: EngineName, parts: Parts): ContainerRuntime {
  const { clock, dataDir, allowed = [], engineArgs = [], hostPaths = [], privileged = false } = parts;
  // `engineArgs` are for the first allowed engine; where none is allowed, for each, which may have been allowed before.
  const [whose = engine] = allowed.filter((name) => name !== "process");
  const api = openApi(engine, { args: whose === engine ? engineArgs : [], dataDir, clock });
  return new EngineRuntime({ ...parts, api, hostPaths, privileged });
}
