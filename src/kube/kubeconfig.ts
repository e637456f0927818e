import type { KubeConfig } from "@kubernetes/client-node";
import type { Clock } from "../runtime/clock.ts";
import { redact } from "../telemetry/redact.ts";
import { ConnectionConfigError } from "./connection.ts";
import type { ConnectionConfig } from "./connection_config.ts";
import { type Credential, IssuedCredential } from "./credentials.ts";

export interface LoadKubeconfigOptions {
  /** Merged in this order, as in `KUBECONFIG`. */
  paths: readonly string[];
  context?: string;
  clock: Clock;
}

/** client-node keeps track of when a plugin's credential ends; this is how often it is asked. */
const ASK_AGAIN_MS = 30_000;

/**
 * Reads kubeconfig files with `@kubernetes/client-node`, which knows every way to get credentials: tokens, certificates,
 * exec plugins, OIDC. It costs a few hundred milliseconds and 75 MB of memory: only loaded here.
 *
 * @throws {ConnectionConfigError}
 */
export async function loadKubeconfig(options: LoadKubeconfigOptions): Promise<ConnectionConfig> {
  const { clock } = options;
  let config = await load(options);
  const cluster = config.getCurrentCluster()!;
  const { server } = cluster;
  if (!URL.canParse(server)) {
    throw new ConnectionConfigError(
      `Cannot use cluster ${cluster.name}: its 'server' is no URL, current value is ${server}`,
    );
  }
  if (cluster.skipTLSVerify && !isPlain(server)) {
    throw new ConnectionConfigError(
      `Cannot use cluster ${cluster.name}: 'insecure-skip-tls-verify' is not supported; ` +
        "give the cluster's CA as 'certificate-authority-data' instead",
    );
  }
  if (cluster.tlsServerName && cluster.tlsServerName !== new URL(server).hostname) {
    throw new ConnectionConfigError(
      `Cannot use cluster ${cluster.name}: 'tls-server-name' is not supported; use ${cluster.tlsServerName} in 'server'`,
    );
  }
  const { ca } = await httpsOptions(config);
  const issue = async (refused: boolean): Promise<Credential> => {
    // A new one forgets what plugins gave before, and sees what other programs have written into the files since.
    if (refused) config = await load(options);
    return { ...credentialOf(await httpsOptions(config)), expiresAt: clock.now() + ASK_AGAIN_MS };
  };
  return {
    server,
    caCertificates: ca === undefined ? undefined : [ca],
    credentials: new IssuedCredential(issue, clock),
    needs: { files: "any", programs: runsPrograms(config) },
    proxyUrl: cluster.proxyUrl,
    namespace: config.getContextObject(config.currentContext)?.namespace,
  };
}

async function load({ paths, context }: LoadKubeconfigOptions): Promise<KubeConfig> {
  // Deno 2.7 lacks this function, which a dependency of client-node calls as it is loaded.
  const threads = await import("node:worker_threads") as unknown as { default: { markAsUncloneable?: () => void } };
  threads.default.markAsUncloneable ??= () => {};
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js") as { KubeConfig: new () => KubeConfig };
  const config = new KubeConfig();
  const found: string[] = [];
  for (const path of paths) {
    if (paths.length > 1 && !await exists(path)) continue;
    const file = found.length === 0 ? config : new KubeConfig();
    try {
      file.loadFromFile(path);
    } catch (cause) {
      const reason = cause instanceof Deno.errors.NotFound || (cause as { code?: string }).code === "ENOENT"
        ? "there is no such file; name one with --kubeconfig or KUBECONFIG"
        : faultOf(cause);
      throw new ConnectionConfigError(`Cannot read kubeconfig ${path}: ${reason}`);
    }
    if (file !== config) mergeMissing(config, file);
    found.push(path);
  }
  const where = `kubeconfig ${found.join(", ")}`;
  if (found.length === 0) {
    throw new ConnectionConfigError(`Cannot read kubeconfig: none of ${paths.join(", ")} is there`);
  }
  if (context !== undefined) config.setCurrentContext(context);
  const names = config.getContexts().map(({ name }) => name);
  const current = config.getCurrentContext();
  if (!current) {
    throw new ConnectionConfigError(
      `Cannot use ${where}: it has no current context; name one of ${names.join(", ")} with --context`,
    );
  }
  if (!names.includes(current)) {
    throw new ConnectionConfigError(
      `Cannot use ${where}: it has no context ${current}; it has ${names.join(", ") || "none"}`,
    );
  }
  if (!config.getCurrentCluster()) {
    throw new ConnectionConfigError(`Cannot use ${where}: the cluster of context ${current} is not in it`);
  }
  tellPlugin(config);
  // client-node refuses plain HTTP (`kubectl proxy`) to those who did not say this, though there is no TLS to verify.
  config.clusters = config.clusters.map((each) => isPlain(each.server) ? { ...each, skipTLSVerify: true } : each);
  return config;
}

function isPlain(server: string): boolean {
  return server.startsWith("http://");
}

/** As kubectl does, the first file that defines a name wins; client-node would refuse the second. */
function mergeMissing(into: KubeConfig, from: KubeConfig): void {
  const missing = <Item extends { name: string }>(have: readonly Item[], more: readonly Item[]) => [
    ...have,
    ...more.filter(({ name }) => !have.some((known) => known.name === name)),
  ];
  into.clusters = missing(into.clusters, from.clusters);
  into.users = missing(into.users, from.users);
  into.contexts = missing(into.contexts, from.contexts);
  into.currentContext ||= from.currentContext;
}

/** Plugins learn from this variable which version of the credential to print; client-node leaves it out. */
function tellPlugin(config: KubeConfig): void {
  const { exec } = config.getCurrentUser() ?? {};
  if (!exec) return;
  const info = {
    apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: {
      interactive: false,
      ...(exec.provideClusterInfo && {
        cluster: {
          server: config.getCurrentCluster()!.server,
          "certificate-authority-data": config.getCurrentCluster()!.caData,
        },
      }),
    },
  };
  exec.env = [...(exec.env ?? []), { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(info) }];
}

/** All ways but OIDC to have credentials issued start a program. */
function runsPrograms(config: KubeConfig): boolean {
  const { exec, authProvider } = config.getCurrentUser() ?? {};
  return Boolean(exec) || Boolean(authProvider && authProvider.name !== "oidc");
}

interface HttpsOptions {
  ca?: string;
  cert?: string;
  key?: string;
  headers: Record<string, string>;
}

async function httpsOptions(config: KubeConfig): Promise<HttpsOptions> {
  const user = config.getCurrentUser();
  const options: { ca?: unknown; cert?: unknown; key?: unknown; auth?: string; headers?: Record<string, string> } = {};
  try {
    await config.applyToHTTPSOptions(options as Parameters<KubeConfig["applyToHTTPSOptions"]>[0]);
  } catch (cause) {
    const through = user?.exec ? ` through '${user.exec.command}'` : "";
    throw new ConnectionConfigError(
      `Cannot get credentials of user ${user?.name ?? "(none)"}${through}: ${faultOf(cause)}`,
    );
  }
  const headers = { ...options.headers };
  if (options.auth) headers.Authorization = `Basic ${btoa(options.auth)}`;
  return { ca: options.ca?.toString(), cert: options.cert?.toString(), key: options.key?.toString(), headers };
}

function credentialOf({ cert, key, headers }: HttpsOptions): Credential {
  return {
    headers,
    clientCertificate: cert !== undefined && key !== undefined ? { certificate: cert, key } : undefined,
  };
}

/**
 * What is wrong, without what was read: a YAML parser shows the lines around a fault and a JSON parser the characters, and
 * both may be of a credential. For the same reason the errors here have no `cause`.
 */
function faultOf(error: unknown): string {
  const { name, message, mark, reason } = error as Error & { mark?: { line: number; column: number }; reason?: string };
  if (name === "YAMLException") {
    const what = (reason ?? message.split("\n")[0]).replaceAll(/"[^"]*"/g, '"…"').replaceAll(/!?<[^>]*>/g, "<…>");
    return mark ? `line ${mark.line + 1}, column ${mark.column + 1}: ${what}` : what;
  }
  if (error instanceof SyntaxError) return "what is there is no JSON";
  return redact(message.trim());
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false;
  }
}
