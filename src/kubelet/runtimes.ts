import { CRON_JOBS, JOBS, type Pod, type Resource } from "../kube/resource.ts";
import type { ContainerRuntime } from "./runtime.ts";
import type { Refusal } from "./inputs/check.ts";
import type { PodDirectory } from "./files/pod_directory.ts";
import type { RunFiles, RuntimeName } from "./files/run_files.ts";
import type { ObjectMeta } from "kubernetes-types/meta/v1";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import type { DeepReadonly, KubeObject } from "../kube/object.ts";

/** What runs a Pod's containers, or why nothing does. */
export interface RuntimeChoice {
  readonly runtime: ContainerRuntime;
  readonly refusal?: Refusal;
}

/**
 * The container runtimes of this node. A Pod chooses among those that the operator allows and never gets another one; the
 * first is for those that don't choose.
 */
export class ContainerRuntimes {
  readonly #known: ReadonlyMap<RuntimeName, ContainerRuntime>;
  readonly #allowed: readonly ContainerRuntime[];

  /**
   * @param known all that former lives of the program may have started containers with
   * @param allowed at least one of them
   */
  constructor(known: readonly ContainerRuntime[], allowed: readonly RuntimeName[]) {
    this.#known = new Map(known.map((runtime) => [runtime.name, runtime]));
    this.#allowed = allowed.map((name) => this.#get(name));
  }

  /**
   * Returns what runs a Pod. One that has begun stays with what it began with.
   *
   * @param asked resolves with the runtime that the Pod or its owners ask for
   */
  async choose(
    pod: Pod,
    directory: PodDirectory,
    asked: () => Promise<string | undefined>,
  ): Promise<RuntimeChoice> {
    const [begun] = directory.runsOf(pod).flatMap(({ runs }) => runs.slice(-1));
    if (begun) return { runtime: this.of(begun) };
    const chosen = await asked();
    const runtime = chosen === undefined ? this.#allowed[0] : this.#allowed.find(({ name }) => name === chosen);
    if (runtime) return { runtime, refusal: runtime.refusalOf(pod) };
    const names = this.#allowed.map(({ name }) => name).join(", ");
    const message =
      `Annotation ${RUNTIME_ANNOTATION} asks for the container runtime "${chosen}", which is not allowed ` +
      `here: choose out of ${names}, or leave the annotation out`;
    return { runtime: this.#allowed[0]!, refusal: { reason: "NotAllowed", message } };
  }

  /** Returns the runtime that a run was started with, allowed or not: what it has started is to be ended by it. */
  of(run: RunFiles): ContainerRuntime {
    return this.#get(run.readIntent()?.runtime ?? "process");
  }

  allows({ name }: ContainerRuntime): boolean {
    return this.#allowed.some((runtime) => runtime.name === name);
  }

  /** Ends and removes what allowed runtimes still run for Pods that are not known. */
  removeStrangers(isKnown: (uid: string) => boolean): void {
    for (const runtime of this.#allowed) runtime.removeStrangers?.(isKnown);
  }

  /** Resolves once nothing is under way that the program must not leave. */
  async close(): Promise<void> {
    await Promise.all([...this.#known.values()].map((runtime) => runtime.close?.()));
  }

  #get(name: RuntimeName): ContainerRuntime {
    const runtime = this.#known.get(name);
    if (!runtime) throw new Error(`Cannot use container runtime "${name}": it is not known`);
    return runtime;
  }
}

/** Chooses among the runtimes that the operator allows. Set on a Pod, and on a CronJob for its Pods. */
export const RUNTIME_ANNOTATION = "cronjob-controller.dev/container-runtime";

export type OwnerReference = NonNullable<ObjectMeta["ownerReferences"]>[number];

/** An owner, as far as it says who runs its Pods. */
export interface Owner {
  readonly metadata: Pick<DeepReadonly<ObjectMeta>, "annotations" | "ownerReferences">;
}

/** Returns the owner that a reference means, as this process has it already; undefined if the API server is to be asked. */
export type KnownOwner = (reference: DeepReadonly<OwnerReference>, namespace: string | undefined) => Owner | undefined;

/**
 * Returns the container runtime that a Pod asks for, or else its Job, or else the Job's CronJob. One that has no owner, or
 * one of a kind that is not served, asks for nothing.
 *
 * @throws {ApiError} if that cannot be found out now, or not any more: the garbage collector is about to remove what has an
 * owner that is gone, or to remove the reference
 */
export async function askedRuntime(
  pod: Pod,
  { client, knownOwner }: { readonly client: KubeClient; readonly knownOwner?: KnownOwner },
): Promise<string | undefined> {
  const { namespace } = pod.metadata;
  let { metadata }: Owner = pod;
  for (const kind of ["Job", "CronJob"]) {
    const asked = metadata.annotations?.[RUNTIME_ANNOTATION];
    if (asked !== undefined) return asked;
    const owner = metadata.ownerReferences?.find((reference) => reference.kind === kind);
    const found = owner && (knownOwner?.(owner, namespace) ?? await existing(client, owner, namespace));
    if (!found) return undefined;
    metadata = found.metadata;
  }
  return metadata.annotations?.[RUNTIME_ANNOTATION];
}

async function existing(
  client: KubeClient,
  { apiVersion, kind, name, uid }: DeepReadonly<OwnerReference>,
  namespace: string | undefined,
): Promise<KubeObject | undefined> {
  const [group = "", version = ""] = apiVersion.split("/");
  const resource: Resource = { ...kind === "Job" ? JOBS : CRON_JOBS, group, version };
  try {
    const found = await client.get(resource, { name, namespace });
    if (found.metadata.uid === uid) return found;
  } catch (error) {
    if (error instanceof ApiError && error.isNotFound && error.status?.details?.name !== name) return undefined;
    throw error;
  }
  throw new ApiError(`${kind} ${name} is another one by now`, { code: 404, reason: "NotFound" });
}
