import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { CONFIG_MAPS, type Pod, SECRETS } from "../kube/resource.ts";
import { ContainerConfigError, type References } from "./container_env.ts";

/** Reads what a Pod refers to from the API server. */
export function referencesOf(pod: Pod, client: KubeClient): References {
  const { namespace } = pod.metadata;
  return {
    configMap: (name) => orUndefined(client.get(CONFIG_MAPS, { name, namespace })),
    secret: (name) => orUndefined(client.get(SECRETS, { name, namespace })),
  };
}

async function orUndefined<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ApiError && error.isNotFound) return undefined;
    throw error instanceof ApiError ? new ContainerConfigError(error.message, { cause: error }) : error;
  }
}
