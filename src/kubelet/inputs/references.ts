import { ApiError, ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { CONFIG_MAPS, type Pod, SECRETS } from "../../kube/resource.ts";
import { ContainerConfigError, type References } from "./env.ts";

/** Reads what a Pod refers to from the API server. */
export function referencesOf(pod: Pod, client: KubeClient): References {
  const { namespace } = pod.metadata;
  return {
    configMap: (name) => client.get(CONFIG_MAPS, { name, namespace }).catch(ignoreNotFound).catch(refused),
    secret: (name) => client.get(SECRETS, { name, namespace }).catch(ignoreNotFound).catch(refused),
  };
}

function refused(error: unknown): never {
  throw error instanceof ApiError ? new ContainerConfigError(error.message, { cause: error }) : error;
}
