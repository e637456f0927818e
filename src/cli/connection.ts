import type { KubeClient } from "../kube/client.ts";
import { ConnectionConfigError, loadConnection } from "../kube/connection.ts";
import type { ConnectionConfig } from "../kube/connection_config.ts";
import type { ConnectionOptions } from "./connection_options.ts";
import { ConfigError } from "./errors.ts";

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

/** Fails in one line where no API server answers. */
export async function assertReachable(client: KubeClient, server: string): Promise<void> {
  try {
    const response = await client.raw("/version", { signal: AbortSignal.timeout(REACH_TIMEOUT_MS) });
    await response.body?.cancel();
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0];
    throw new Error(`Cannot reach the API server ${server}: ${reason}`, { cause: error });
  }
}
