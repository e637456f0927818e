import { type Clock, SystemClock } from "../runtime/clock.ts";
import type { ConnectionConfig } from "./connection_config.ts";

export type { ConnectionConfig } from "./connection_config.ts";

export interface LoadConnectionOptions {
  /** A file; several joined by `:` are merged, as in `KUBECONFIG`. @default `$KUBECONFIG`, else `~/.kube/config` */
  kubeconfig?: string;
  /** @default the kubeconfig's current context */
  context?: string;
  clock?: Clock;
}

/** No connection can be made out of what the user gave. The message names what to change. */
export class ConnectionConfigError extends Error {
  override readonly name = "ConnectionConfigError";
}

/** Where a Pod finds its service account. */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Finds out how to reach the API server: the kubeconfig that is named (by option or `KUBECONFIG`); else, in a Pod, its
 * service account; else `~/.kube/config`.
 *
 * @throws {ConnectionConfigError}
 */
export async function loadConnection(options: LoadConnectionOptions = {}): Promise<ConnectionConfig> {
  const named = options.kubeconfig || Deno.env.get("KUBECONFIG");
  if (!named && options.context === undefined && Deno.env.get("KUBERNETES_SERVICE_HOST")) return await inCluster();
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? ".";
  const { loadKubeconfig } = await import("./kubeconfig.ts");
  const separator = Deno.build.os === "windows" ? ";" : ":";
  return await loadKubeconfig({
    paths: (named || `${home}/.kube/config`).split(separator).filter((path) => path !== ""),
    context: options.context,
    clock: options.clock ?? new SystemClock(),
  });
}

/** The service account of the Pod that the program runs in. Needs no library: this is what a cluster's start-up costs. */
async function inCluster(): Promise<ConnectionConfig> {
  const host = Deno.env.get("KUBERNETES_SERVICE_HOST")!;
  const port = Deno.env.get("KUBERNETES_SERVICE_PORT_HTTPS") ?? Deno.env.get("KUBERNETES_SERVICE_PORT") ?? "443";
  const tokenFile = `${SERVICE_ACCOUNT}/token`;
  try {
    const [ca, namespace] = await Promise.all([
      Deno.readTextFile(`${SERVICE_ACCOUNT}/ca.crt`),
      Deno.readTextFile(`${SERVICE_ACCOUNT}/namespace`),
      Deno.lstat(tokenFile),
    ]);
    return {
      server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
      caCertificates: [ca],
      tokenFile,
      namespace: namespace.trim(),
    };
  } catch (cause) {
    throw new ConnectionConfigError(
      `Cannot use the Pod's service account: ${(cause as Error).message}; give --kubeconfig, or set ` +
        "automountServiceAccountToken: true in the Pod",
      { cause },
    );
  }
}
