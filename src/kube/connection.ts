import { type Clock, SystemClock } from "../base/clock.ts";
import { type ConnectionConfig, ConnectionConfigError } from "./connection_config.ts";
export interface LoadConnectionOptions {
  /** A file; several joined by `:` are merged, as in `KUBECONFIG`. @default `$KUBECONFIG`, else `~/.kube/config` */
  kubeconfig?: string | undefined;
  /** @default the kubeconfig's current context */
  context?: string | undefined;
  clock?: Clock;
  /** @default the process's own */
  environment?: { get(name: string): string | undefined };
  /** Where a Pod finds its service account. @default {"/var/run/secrets/kubernetes.io/serviceaccount"} */
  serviceAccountDirectory?: string;
}

/** Where a Pod finds its service account. */
export const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Finds out how to reach the API server: the kubeconfig that is named (by option or `KUBECONFIG`); else, in a Pod, its
 * service account; else `~/.kube/config`.
 *
 * @throws {ConnectionConfigError} that names what the user can change
 */
export async function loadConnection(options: LoadConnectionOptions = {}): Promise<ConnectionConfig> {
  const { environment = Deno.env, context, clock = new SystemClock() } = options;
  const named = options.kubeconfig || environment.get("KUBECONFIG");
  const host = environment.get("KUBERNETES_SERVICE_HOST");
  if (!named && context === undefined && host) {
    const port = environment.get("KUBERNETES_SERVICE_PORT_HTTPS") ?? environment.get("KUBERNETES_SERVICE_PORT") ??
      "443";
    return await inCluster(host, port, options.serviceAccountDirectory);
  }
  const { loadKubeconfig } = await import("./kubeconfig.ts");
  return await loadKubeconfig({ paths: kubeconfigPaths(options), context, clock });
}

/** Returns the contexts of the kubeconfig that is meant. */
export async function contextNames(
  options: Pick<LoadConnectionOptions, "kubeconfig" | "environment">,
): Promise<string[]> {
  const { readContextNames } = await import("./kubeconfig_files.ts");
  return await readContextNames(kubeconfigPaths(options));
}

function kubeconfigPaths(
  { kubeconfig, environment = Deno.env }: Pick<LoadConnectionOptions, "kubeconfig" | "environment">,
): string[] {
  const home = environment.get("HOME") ?? environment.get("USERPROFILE") ?? ".";
  const separator = Deno.build.os === "windows" ? ";" : ":";
  const named = kubeconfig || environment.get("KUBECONFIG");
  return (named || `${home}/.kube/config`).split(separator).filter((path) => path !== "");
}

/**
 * Returns the service account of the Pod that the program runs in. Needs no library: this is what a cluster's start-up
 * costs.
 */
async function inCluster(
  host: string,
  port: string,
  directory = SERVICE_ACCOUNT,
): Promise<ConnectionConfig> {
  const tokenFile = `${directory}/token`;
  const caFile = `${directory}/ca.crt`;
  try {
    const ca = await Deno.readTextFile(caFile);
    const namespace = await Deno.readTextFile(`${directory}/namespace`);
    await Deno.stat(tokenFile);
    return {
      server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
      caCertificates: [ca],
      caFile,
      tokenFile,
      namespace: namespace.trim(),
      needs: { files: directory, programs: false },
    };
  } catch (cause) {
    throw new ConnectionConfigError(
      `Cannot use the Pod's service account: ${(cause as Error).message}; give --kubeconfig, or set ` +
        "automountServiceAccountToken: true in the Pod",
      { cause },
    );
  }
}
