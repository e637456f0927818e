import type { Clock } from "../runtime/clock.ts";
import { baseEnvironment } from "./inputs/env.ts";
import type { ContainerRuntime } from "./runtime.ts";
import { ContainerRuntimes } from "./runtimes.ts";
import { ContainerEnds } from "./engine/container_ends.ts";
import { ConmonWatch } from "./engine/conmon_watch.ts";
import { DockerLogs } from "./engine/docker_logs.ts";
import { makePauseImage } from "./engine/docker_pause.ts";
import { DockerWatch } from "./engine/docker_watch.ts";
import { EngineCommand } from "./engine/engine_command.ts";
import { EngineContainers } from "./engine/engine_containers.ts";
import { type EngineKind, ENGINES } from "./engine/engine_kind.ts";
import { EngineRuntime } from "./engine/engine_runtime.ts";
import { ImagePulls } from "./engine/image_pulls.ts";
import { ImageStore } from "./engine/image_store.ts";
import { Launcher } from "./engine/launcher.ts";
import { Sandboxes } from "./engine/sandboxes.ts";
import type { PodContext } from "./context.ts";
import { ProcessRunner } from "./process/runner.ts";
import { ProcessRuntime } from "./process/process_runtime.ts";
import type { Pulse } from "./files/pulse.ts";
import { removeFolder } from "./files/disk.ts";
import { whoWeAre } from "./process/refusal.ts";
import type { RuntimeName } from "./files/run_files.ts";

/** What the operator says of container runtimes. */
export interface RuntimeOptions {
  /** Those that Pods may choose among; the first is for Pods that don't choose. */
  readonly allowed: readonly RuntimeName[];
  /** Given to an engine before each subcommand. @default none */
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
    clock,
    runner: new ProcessRunner({ clock, pulse }),
    self: whoWeAre(),
    baseEnvironment: baseEnvironment(Deno.env),
  });
  const engines = Object.values(ENGINES).map((kind) => openEngine(kind, parts));
  return new ContainerRuntimes([processes, ...engines], allowed);
}

function openEngine(kind: EngineKind, parts: Parts): ContainerRuntime {
  const {
    clock,
    pulse,
    dataDir,
    event,
    allowed = [],
    engineArgs = [],
    hostPaths = [],
    privileged = false,
    network,
    timeZone,
  } = parts;
  // They are one engine's: the first that is allowed, or any that once was.
  const [whose = kind.name] = allowed.filter((name) => name !== "process");
  const globalArgs = whose === kind.name ? engineArgs : [];
  const { name, daemon } = kind;
  const command = new EngineCommand(name, { globalArgs, clock, daemon, workingDirectory: dataDir });
  const credentialsFolder = `${dataDir}/pull-credentials`;
  // A program that was killed during a pull has left some there.
  removeFolder(credentialsFolder);
  const containers = new EngineContainers({ kind, command, clock });
  const isDocker = kind.name === "docker";
  const watch = isDocker ? new DockerWatch({ clock, logs: new DockerLogs(command) }) : new ConmonWatch();
  return new EngineRuntime({
    kind,
    command,
    clock,
    dataDir,
    hostPaths,
    privileged,
    network,
    containers,
    watch,
    launcher: new Launcher({ kind, command, containers, clock, hostPaths }),
    ends: new ContainerEnds({ engine: kind.name, containers, watch, clock, pulse }),
    images: new ImageStore({ command, clock, event, pulls: new ImagePulls({ kind, command, credentialsFolder }) }),
    sandboxes: new Sandboxes({
      commands: kind.sandbox,
      command,
      dataDir,
      network,
      beforeMaking: async () => isDocker ? await makePauseImage(command) : undefined,
    }),
    timeZone,
  });
}
