import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import type { EpochMs } from "../base/epoch_ms.ts";

/** The answer to a `SelfSubjectReview`, as far as it is read. */
interface SelfSubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

/** Returns the user's name as the API server knows it; undefined where it does not say. */
export async function whoAmI(client: KubeClient): Promise<string | undefined> {
  try {
    const response = await client.raw("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
    });
    const review: SelfSubjectReview = await response.json();
    return review.status?.userInfo?.username;
  } catch (error) {
    // Kubernetes before 1.28 does not serve it.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The limit of a back-fill's id: other ids have more room. */
const MAX_LENGTH = 63;

/** Returns `cli-20261121T015800Z-ana`: all requests of a user within a second have one id. */
export function requestId(source: string, now: EpochMs, user: string | undefined): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  const name = (user ?? "").replaceAll(/[^A-Za-z0-9_.]+/g, "-");
  return `${source}-${time}Z-${name}`.slice(0, MAX_LENGTH).replace(/[^A-Za-z0-9]+$/, "");
}
