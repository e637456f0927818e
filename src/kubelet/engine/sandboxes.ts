import type { PodSpec } from "kubernetes-types/core/v1";
import type { Pod } from "../../kube/resource.ts";
import { ContainerConfigError, PROBLEMS } from "../inputs/config_error.ts";
import { isSidecar } from "../decide.ts";
import { LABELS, podLabels, sandboxName } from "./container_names.ts";
import { EngineError } from "./api/engine_error.ts";
import type { EngineContainers, LabelledContainer } from "./engine_containers.ts";
import type { EngineOptions } from "./engine_options.ts";
import { makePauseImage, PAUSE_IMAGE } from "./images/pause_image.ts";

/** Where a container is placed, in the words of Docker's API. */
export interface Placement {
  readonly Hostname?: string;
  readonly HostConfig: object;
}

const CONFLICT = 409;

/** A host's name is no longer. */
const MAX_HOSTNAME = 63;

/**
 * The sandbox that the containers of a Pod share: network, IPC and host name, and processes if it says so. Most Pods of Jobs have one
 * container at a time, which needs nothing to share; for others, a container that waits holds open what the others join.
 */
export class Sandboxes {
  readonly #containers: EngineContainers;
  readonly #options: Pick<EngineOptions, "api" | "dataDir" | "network">;
  /** Under way, by the Pods' uids. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(containers: EngineContainers, options: Pick<EngineOptions, "api" | "dataDir" | "network">) {
    this.#containers = containers;
    this.#options = options;
  }

  /**
   * Makes a Pod's sandbox, if its containers need one, which may all ask for it at a time.
   *
   * @throws {ContainerConfigError} if it cannot be made now
   */
  async prepare(pod: Pod): Promise<void> {
    if (!sharesAny(pod.spec!)) return;
    const { uid } = pod.metadata;
    const making = this.#making.get(uid) ?? this.#make(pod).finally(() => this.#making.delete(uid));
    this.#making.set(uid, making);
    await making.catch((error) => {
      throw error instanceof EngineError ? sandboxError(error) : error;
    });
  }

  /** Returns where a container of a Pod is placed: in its sandbox, which {@linkcode prepare} has made, if there is one. */
  placementOf(pod: Pod): Placement {
    const alone = this.#alone(pod);
    if (!sharesAny(pod.spec!)) return alone;
    const joined = `container:${sandboxName(pod.metadata.uid)}`;
    const PidMode = pod.spec?.shareProcessNamespace ? { PidMode: joined } : {};
    const shared = { NetworkMode: joined, IpcMode: joined, ...PidMode };
    // docker's containers have the sandbox's host name, and refuse one of their own.
    return { ...this.#options.api.engine === "podman" ? { Hostname: alone.Hostname } : {}, HostConfig: shared };
  }

  /** Called when nothing of the Pod runs. */
  async remove(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    if (sharesAny(pod.spec!)) await this.#removeAll(uid, await this.#containers.labelled(LABELS.podUid, uid));
  }

  /** Removes all that there is of Pods of this data directory that are not known. */
  async removeStrangers(isKnown: (uid: string) => boolean): Promise<void> {
    const { dataDir } = this.#options;
    const byPod = Map.groupBy(await this.#containers.labelled(LABELS.dataDir, dataDir), ({ podUid }) => podUid);
    for (const [uid, ofPod] of byPod) if (!isKnown(uid)) await this.#removeAll(uid, ofPod);
  }

  /** Removes all that there is of a Pod, with what runs in it. What others have joined goes last. */
  async #removeAll(uid: string, ofPod: readonly LabelledContainer[]): Promise<void> {
    const sandbox = sandboxName(uid);
    await Promise.all(ofPod.filter(({ name }) => name !== sandbox).map(({ name }) => this.#containers.remove(name)));
    await this.#containers.remove(sandbox);
  }

  async #make(pod: Pod): Promise<void> {
    const { api, dataDir } = this.#options;
    const name = sandboxName(pod.metadata.uid);
    if (!await this.#containers.inspect(name)) {
      await makePauseImage(api);
      const { HostConfig, ...placed } = this.#alone(pod);
      await this.#containers.create(name, {
        Image: PAUSE_IMAGE,
        Entrypoint: ["/pause"],
        Labels: podLabels(pod, dataDir),
        ...placed,
        HostConfig: {
          ...HostConfig,
          IpcMode: "shareable",
          ReadonlyRootfs: true,
          CapDrop: ["ALL"],
          SecurityOpt: ["no-new-privileges"],
          LogConfig: { Type: "none" },
        },
      }).catch(async (error) => {
        // podman may have been killed when it had no more than the name, which the next try finds free.
        if ((error as EngineError).status === CONFLICT) await this.#containers.remove(name);
        throw error;
      });
    }
    await this.#containers.start(name);
  }

  #alone(pod: Pod): Placement {
    const { network } = this.#options;
    return {
      Hostname: hostnameOf(pod),
      HostConfig: { ...network === undefined ? {} : { NetworkMode: network }, ExtraHosts: hostAliasesOf(pod) },
    };
  }
}

/** Returns the error for a sandbox, or a network, that cannot be made now. */
export function sandboxError(cause: EngineError): ContainerConfigError {
  return new ContainerConfigError(`Failed to create pod sandbox: ${cause.message}`, { ...PROBLEMS.sandbox, cause });
}

/** Returns whether any two containers of a Pod may run at a time. */
export function sharesAny({ initContainers = [], containers = [] }: PodSpec): boolean {
  return initContainers.filter(isSidecar).length + containers.length > 1;
}

function hostAliasesOf({ spec }: Pod): string[] {
  return (spec?.hostAliases ?? []).flatMap(({ ip, hostnames = [] }) => hostnames.map((name) => `${name}:${ip}`));
}

function hostnameOf({ spec, metadata: { name } }: Pod): string {
  return (spec?.hostname || name).slice(0, MAX_HOSTNAME).replace(/[-.]+$/, "");
}
