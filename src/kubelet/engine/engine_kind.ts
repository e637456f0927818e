import type { RuntimeName } from "../files/run_files.ts";
import { LABELS } from "./container_names.ts";
import { writeDockerConfig } from "./docker_config.ts";
import { PAUSE_IMAGE } from "./docker_pause.ts";
import type { EngineDaemon } from "./engine_command.ts";

export type EngineName = Exclude<RuntimeName, "process">;

/** In what the engines' command lines differ. */
export interface EngineKind {
  readonly name: EngineName;
  /** Absent for an engine without one. */
  readonly daemon?: EngineDaemon;
  /** For every container: what Kubernetes has otherwise than the engine by default. */
  readonly containerArgs: readonly string[];
  readonly readOnlyRootArgs: readonly string[];
  /** Takes the image's entry point's place. */
  entrypointArgs(program: string): readonly string[];
  /** Writes the credentials of a pull into a folder. */
  writeCredentials(folder: string, credentials: string): void;
  /** @param credentials the folder that has them; undefined for the engine's own */
  pullArgs(image: string, credentials: string | undefined): readonly string[];
  /** Gets a container that was created ready, with its mounts; absent where it can only be started. */
  initArgs?(name: string): readonly string[];
  /** Before the names of containers that go at once, with what runs in them. */
  readonly removeArgs: readonly string[];
  /** For a list of containers: the template of id and uid of the Pod. */
  readonly listFormat: string;
  readonly sandbox: SandboxCommands;
}

/** A sandbox that is to be made. */
export interface WantedSandbox {
  readonly name: string;
  readonly sharesProcesses: boolean;
  readonly labels: readonly string[];
  /** Arguments for network and host name. */
  readonly placement: readonly string[];
  /** Arguments for names of other hosts. */
  readonly hostAliases: readonly string[];
}

/** How an engine has containers share a network and more. */
export interface SandboxCommands {
  createArgs(sandbox: WantedSandbox): readonly string[];
  /** Succeeds if there is one: it can be joined then. */
  startArgs(name: string): readonly string[];
  /** For a container. */
  joinArgs(sandbox: Pick<WantedSandbox, "name" | "sharesProcesses">): readonly string[];
  /** Succeeds where there is none, too. Ends what runs in it, unless those are removed before. */
  removeArgs(name: string): readonly string[];
}

const PODMAN: EngineKind = {
  name: "podman",
  containerArgs: ["--http-proxy=false", "--systemd=false", "--security-opt", "label=disable"],
  readOnlyRootArgs: ["--read-only", "--read-only-tmpfs=false"],
  entrypointArgs: (program) => ["--entrypoint", JSON.stringify([program])],
  writeCredentials: (folder, credentials) =>
    Deno.writeTextFileSync(`${folder}/config.json`, credentials, { mode: 0o600 }),
  pullArgs: (image, credentials) => {
    const args = credentials === undefined ? [] : ["--authfile", `${credentials}/config.json`];
    return ["pull", "--quiet", ...args, "--", image];
  },
  initArgs: (name) => ["init", name],
  removeArgs: ["rm", "--force", "--time", "0", "--ignore", "--volumes"],
  listFormat: `{{.ID}} {{index .Labels "${LABELS.podUid}"}}`,
  sandbox: {
    createArgs: ({ name, sharesProcesses, labels, placement, hostAliases }) => {
      const share = ["net", "ipc", "uts", ...sharesProcesses ? ["pid"] : []].join(",");
      const named = ["--name", name, "--infra-name", infraOf(name)];
      return ["pod", "create", ...named, "--share", share, ...labels, ...placement, ...hostAliases];
    },
    // Containers that find it at rest start it each, and all but one of those that do so at once fail.
    startArgs: (name) => ["start", infraOf(name)],
    // It refuses names of other hosts for a container of a pod.
    joinArgs: ({ name }) => ["--pod", name],
    removeArgs: (name) => ["pod", "rm", "--force", "--time", "0", "--ignore", name],
  },
};

/** Returns the name of the container that holds open what a pod's others join. */
function infraOf(pod: string): string {
  return `${pod}-infra`;
}

/** docker has no pods: a container that waits holds open what others join, with its host name and names of others. */
const DOCKER: EngineKind = {
  name: "docker",
  daemon: {
    endpointArgs: ["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"],
    // It takes one host, and none beside a context.
    pinArgs: (words, endpoint) =>
      words.some((word) => /^(--host|-H)/.test(word)) ? [] : ["--context=", "--host", endpoint],
  },
  containerArgs: ["--security-opt", "label=disable"],
  readOnlyRootArgs: ["--read-only"],
  entrypointArgs: (program) => ["--entrypoint", program],
  writeCredentials: writeDockerConfig,
  pullArgs: (image, credentials) => {
    const args = credentials === undefined ? [] : ["--config", credentials];
    return [...args, "pull", "--quiet", "--", image];
  },
  removeArgs: ["rm", "--force", "--volumes"],
  listFormat: `{{.ID}} {{.Label "${LABELS.podUid}"}}`,
  sandbox: {
    createArgs: ({ name, labels, placement, hostAliases }) => [
      ...["create", "--pull", "never", "--name", name, "--ipc", "shareable", "--log-driver", "none"],
      ...["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", ...labels],
      ...placement,
      ...hostAliases,
      PAUSE_IMAGE,
    ],
    startArgs: (name) => ["start", name],
    joinArgs: ({ name, sharesProcesses }) => {
      const shared = ["--network", "--ipc", ...sharesProcesses ? ["--pid"] : []];
      return shared.flatMap((namespace) => [namespace, `container:${name}`]);
    },
    removeArgs: (name) => ["rm", "--force", "--volumes", name],
  },
};

export const ENGINES: Readonly<Record<EngineName, EngineKind>> = { podman: PODMAN, docker: DOCKER };
