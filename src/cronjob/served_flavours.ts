import { type Flavour, FLAVOURS } from "./api/flavour.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { apiVersionOf } from "../kube/resource.ts";

/** The answer to `GET /apis`, as far as it is read. */
interface GroupList {
  readonly groups?: readonly { readonly versions?: readonly { readonly groupVersion: string }[] }[];
}

/**
 * Returns those flavours whose API the server serves. Discovery is open to every authenticated user, while a list of what
 * is not served is forbidden, and not missing, to all who have no rights on it. Where not even discovery may be read: all.
 */
export async function servedFlavours(client: KubeClient): Promise<readonly Flavour[]> {
  try {
    const { groups = [] }: GroupList = await (await client.raw("/apis")).json();
    const served = new Set(groups.flatMap(({ versions = [] }) => versions.map(({ groupVersion }) => groupVersion)));
    return FLAVOURS.filter(({ resource }) => served.has(apiVersionOf(resource)));
  } catch (error) {
    if (error instanceof ApiError) return FLAVOURS;
    throw error;
  }
}
