import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { ConnectionConfigError, loadConnection } from "../../kube/connection.ts";
import type { ConnectionConfig } from "../../kube/connection_config.ts";
import { ConfigError } from "../errors.ts";
import type { ConnectionOptions } from "./connection_options.ts";

/** How long the first request may take before the server counts as unreachable. */
const REACH_TIMEOUT_MS = 10_000;

/** @throws {ConfigError} where kubeconfig or service account lead nowhere */
export async function connectionOf({ kubeconfig, context }: ConnectionOptions): Promise<ConnectionConfig> {
  try {
    return await loadConnection({ kubeconfig, context });
  } catch (error) {
    if (error instanceof ConnectionConfigError) throw new ConfigError(error.message, { cause: error });
    throw error;
  }
}

/** Fails in one line where no API server answers, or it does not accept the credentials. Returns at once when `stop` is aborted, whether one would have or not. */
export async function assertReachable(client: KubeClient, server: string, stop?: AbortSignal): Promise<void> {
  const tooLate = AbortSignal.timeout(REACH_TIMEOUT_MS);
  try {
    const response = await client.raw("/version", { signal: stop ? AbortSignal.any([stop, tooLate]) : tooLate });
    await response.body?.cancel();
  } catch (error) {
    if (stop?.aborted) return;
    // Who may not ask for this may be allowed all else.
    if (error instanceof ApiError && error.isForbidden) return;
    if (error instanceof ApiError && error.isUnauthorized) {
      throw new Error(
        `The API server ${server} does not accept the credentials: they are wrong, or have expired`,
        { cause: error },
      );
    }
    const reason = tooLate.aborted
      ? `it gives no answer within ${REACH_TIMEOUT_MS / 1000} s`
      : (error as Error).message.split("\n")[0];
    throw new Error(`Cannot reach the API server ${server}: ${reason}`, { cause: error });
  }
}
