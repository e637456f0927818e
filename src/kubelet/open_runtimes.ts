import type { Clock } from "../base/clock.ts";
import { baseEnvironment } from "./inputs/env.ts";
import type { ContainerRuntime } from "./runtime.ts";
import { ContainerRuntimes } from "./runtimes.ts";
import { ContainerEnds } from "./engine/container_ends.ts";
import { DockerLogs } from "./engine/docker_logs.ts";
import type { EngineName } from "./engine/api/engine_error.ts";
import { EngineContainers } from "./engine/engine_containers.ts";
import { EngineRuntime } from "./engine/engine_runtime.ts";
import { ImageStore } from "./engine/images/image_store.ts";
import { openApi } from "./engine/api/open_api.ts";
import { Sandboxes } from "./engine/sandboxes.ts";
import { Slots } from "./engine/slots.ts";
import type { PodContext } from "./context.ts";
import { ProcessRunner } from "./process/runner.ts";
import { ProcessRuntime } from "./process/process_runtime.ts";
import type { Pulse } from "./files/pulse.ts";
import { whoWeAre } from "./process/refusal.ts";
import type { RuntimeName } from "./files/run_files.ts";

const ENGINES: readonly EngineName[] = ["podman", "docker"];

/** Of an engine: more would only wait for each other, for the engine's locks and for processors. */
const STARTS_AT_A_TIME = 8;

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
  readonly pulse: Pulse;
  readonly dataDir: string;
  readonly event: PodContext["event"];
}

/** Makes the container runtimes of a node. */
export function openRuntimes(parts: Parts): ContainerRuntimes {
  const { clock, pulse, allowed = ["process"] } = parts;
  const processes = new ProcessRuntime({
    runner: new ProcessRunner({ clock, pulse }),
    self: whoWeAre(),
    baseEnvironment: baseEnvironment(Deno.env),
  });
  const engines = ENGINES.map((engine) => openEngine(engine, parts));
  return new ContainerRuntimes([processes, ...engines], allowed);
}

function openEngine(engine: EngineName, parts: Parts): ContainerRuntime {
  const { clock, pulse, dataDir, event, allowed = [], engineArgs = [], hostPaths = [], privileged = false } = parts;
  const { network, timeZone } = parts;
  // They are one engine's: the first that is allowed, or any that once was.
  const [whose = engine] = allowed.filter((name) => name !== "process");
  const api = openApi(engine, { args: whose === engine ? engineArgs : [], dataDir, clock });
  const containers = new EngineContainers({ api, clock });
  const logs = engine === "docker" ? new DockerLogs({ api, clock }) : undefined;
  return new EngineRuntime({
    api,
    clock,
    containers,
    dataDir,
    hostPaths,
    privileged,
    timeZone,
    slots: new Slots(STARTS_AT_A_TIME),
    ends: new ContainerEnds({ engine, containers, logs, clock, pulse }),
    images: new ImageStore({ api, clock, event }),
    sandboxes: new Sandboxes({ api, containers, dataDir, network }),
  });
}
