import type { KubeConfig } from "@kubernetes/client-node";
import { redact } from "../telemetry/redact.ts";
import { ConnectionConfigError } from "./connection_config.ts";
import type { Credential } from "./credentials.ts";
import type { Kubeconfig } from "./kubeconfig_files.ts";

/** Has a credential issued. */
export type Issuer = () => Promise<Credential>;

/**
 * Finds out who issues the credentials of a kubeconfig's user: an exec plugin, or a provider such as OIDC. Each of them is
 * `@kubernetes/client-node`'s business, which costs a few hundred milliseconds and 20 MB of memory.
 *
 * @throws {ConnectionConfigError} from the issuer
 */
export async function issuerOf({ cluster, context, user }: Kubeconfig): Promise<Issuer> {
  // Deno 2.7 lacks this function, which a dependency of client-node calls as it is loaded.
  const threads = await import("node:worker_threads") as unknown as { default: { markAsUncloneable?: () => void } };
  threads.default.markAsUncloneable ??= () => {};
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js") as { KubeConfig: new () => KubeConfig };
  const config = new KubeConfig();
  config.loadFromOptions({
    // client-node refuses plain HTTP (`kubectl proxy`) to those who did not say this, though there is no TLS to verify.
    clusters: [cluster.server.startsWith("http://") ? { ...cluster, skipTLSVerify: true } : cluster],
    users: [{ ...user!, exec: user!.exec && toldPlugin(user!.exec, cluster) }],
    contexts: [context],
    currentContext: context.name,
  });
  return async () => {
    const credential = await issue(config);
    return { ...credential, headers: { ...credential.headers, ...user!.impersonateHeaders } };
  };
}

async function issue(config: KubeConfig): Promise<Credential> {
  const options: { cert?: unknown; key?: unknown; headers?: Record<string, string> } = {};
  const user = config.getCurrentUser();
  try {
    await config.applyToHTTPSOptions(options as Parameters<KubeConfig["applyToHTTPSOptions"]>[0]);
    // Without one, every request would be anonymous.
    if (user?.exec && !options.cert && !options.headers?.Authorization) throw new TypeError("no credential");
  } catch (cause) {
    const through = user?.exec ? ` through '${user.exec.command}'` : "";
    // Without its cause, which may show a part of a credential.
    throw new ConnectionConfigError(
      `Cannot get credentials of user ${user?.name ?? "(none)"}${through}: ${faultOf(cause as Error)}`,
    );
  }
  const { cert, key, headers } = options;
  return {
    headers,
    clientCertificate: cert && key ? { certificate: String(cert), key: String(key) } : undefined,
  };
}

/** Plugins learn from this variable which version of the credential to print; client-node leaves it out. */
// deno-lint-ignore no-explicit-any
function toldPlugin(exec: any, { server, caData }: Kubeconfig["cluster"]): unknown {
  const info = {
    apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: {
      interactive: false,
      ...(exec.provideClusterInfo && { cluster: { server, "certificate-authority-data": caData } }),
    },
  };
  return { ...exec, env: [...(exec.env ?? []), { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(info) }] };
}

/** A JSON parser shows the characters around a fault, and a TypeError the code that reads what is not there. */
function faultOf(error: Error): string {
  if (error instanceof TypeError) return "what is there is no credential";
  return error instanceof SyntaxError ? "what is there is no JSON" : redact(error.message.trim());
}
