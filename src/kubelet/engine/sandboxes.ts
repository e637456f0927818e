import type { Pod } from "../../kube/resource.ts";
import { SandboxError } from "../inputs/env.ts";
import { isSidecar } from "../decide.ts";
import { podLabels, sandboxName } from "./container_names.ts";
import { type EngineCommand, EngineError } from "./engine_command.ts";
import type { SandboxCommands } from "./engine_kind.ts";

export interface SandboxesOptions {
  readonly commands: SandboxCommands;
  /** Called before one is made. */
  readonly beforeMaking: () => Promise<void>;
  readonly command: EngineCommand;
  readonly dataDir: string;
  /** The engine's network for Pods. @default what the engine is configured for */
  readonly network: string | undefined;
}

/** A host's name is no longer. */
const MAX_HOSTNAME = 63;

/**
 * What the containers of a Pod share: network, IPC and host name, and processes if it says so. Most Pods of Jobs have one
 * container at a time, which needs nothing to share; for others, the engine gets a Pod of its own.
 */
export class Sandboxes {
  readonly #options: SandboxesOptions;
  /** By the Pods' uids. */
  readonly #made = new Map<string, Promise<void>>();

  constructor(options: SandboxesOptions) {
    this.#options = options;
  }

  /**
   * Makes a Pod's sandbox, if its containers need one.
   *
   * @throws {SandboxError} if it cannot be made now
   */
  async prepare(pod: Pod): Promise<void> {
    if (!sharesAny(pod)) return;
    const { uid } = pod.metadata;
    try {
      await this.#made.getOrInsertComputed(uid, () => this.#make(pod));
    } catch (error) {
      this.#made.delete(uid);
      throw error instanceof EngineError ? new SandboxError(error) : error;
    }
  }

  /** Returns the arguments that put a container into its Pod's sandbox, which {@linkcode prepare} has made. */
  argsFor(pod: Pod): string[] {
    if (!sharesAny(pod)) return [...this.#placementOf(pod), ...hostAliasArgs(pod)];
    return [...this.#options.commands.joinArgs(sandboxOf(pod))];
  }

  /** Has {@linkcode prepare} look whether there is one. */
  forget({ metadata: { uid } }: Pod): void {
    this.#made.delete(uid);
  }

  /** Called when nothing of the Pod runs. */
  async remove(pod: Pod): Promise<void> {
    if (sharesAny(pod)) await this.removeByUid(pod.metadata.uid);
  }

  /** Has no effect where there is no sandbox. Ends what runs in it. */
  async removeByUid(uid: string): Promise<void> {
    this.#made.delete(uid);
    const { command, commands } = this.#options;
    await command.output(commands.removeArgs(sandboxName(uid)));
  }

  async #make(pod: Pod): Promise<void> {
    const { beforeMaking, command, commands, dataDir } = this.#options;
    const sandbox = sandboxOf(pod);
    const start = commands.startArgs(sandbox.name);
    if ((await command.run(start)).code === 0) return;
    await beforeMaking();
    const placed = { ...sandbox, labels: podLabels(pod, dataDir), placement: this.#placementOf(pod) };
    await command.output(commands.createArgs(placed));
    await command.output(start);
  }

  #placementOf(pod: Pod): string[] {
    const { network } = this.#options;
    return [...network === undefined ? [] : ["--network", network], "--hostname", hostnameOf(pod)];
  }
}

/** Returns whether any two of its containers may run at a time. */
export function sharesAny({ spec }: Pod): boolean {
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar);
  return sidecars.length + (spec?.containers.length ?? 0) > 1;
}

function sandboxOf(pod: Pod) {
  const sharesProcesses = pod.spec?.shareProcessNamespace ?? false;
  return { name: sandboxName(pod.metadata.uid), sharesProcesses, hostAliases: hostAliasArgs(pod) };
}

function hostAliasArgs({ spec }: Pod): string[] {
  return (spec?.hostAliases ?? []).flatMap(({ ip, hostnames = [] }) =>
    hostnames.flatMap((name) => ["--add-host", `${name}:${ip}`])
  );
}

function hostnameOf({ spec, metadata: { name } }: Pod): string {
  return (spec?.hostname || name).slice(0, MAX_HOSTNAME).replace(/[-.]+$/, "");
}
