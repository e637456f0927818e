import { type Flavour, FLAVOURS } from "./api/flavour.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";

/** The answer to `GET /apis/<group>/<version>`, as far as it is read. */
interface ResourceList {
  readonly resources?: readonly { readonly name: string }[];
}

/**
 * Returns those flavours that the server serves: an API may be there without this kind. Discovery is open to every
 * authenticated user, while a list of what is not served is forbidden, and not missing, to all who have no rights on it. An
 * API of which the server says nothing counts as served.
 */
export async function servedFlavours(client: KubeClient): Promise<readonly Flavour[]> {
  const served = await Promise.all(
    FLAVOURS.map(({ apiVersion }) =>
      isServed(client, apiVersion).catch((error) => {
        if (error instanceof ApiError) return true;
        throw error;
      })
    ),
  );
  return FLAVOURS.filter((_, index) => served[index]);
}

/**
 * Returns whether the server serves CronJobs of an API, such as `batch/v1`.
 *
 * @throws {ApiError} where the server does not say
 */
export async function isServed(client: KubeClient, apiVersion: string, signal?: AbortSignal): Promise<boolean> {
  try {
    const { resources = [] }: ResourceList = await (await client.raw(`/apis/${apiVersion}`, { signal })).json();
    return resources.some(({ name }) => name === "cronjobs");
  } catch (error) {
    if (error instanceof ApiError && error.isNotFound) return false;
    throw error;
  }
}
