import type { ObjectMeta } from "kubernetes-types/meta/v1";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import type { DeepReadonly, KubeObject } from "../kube/object.ts";
import { CRON_JOBS, JOBS, type Pod, type Resource } from "../kube/resource.ts";

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
