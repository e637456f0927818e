import { Buffer } from "node:buffer";
import type { Clock } from "../base/clock.ts";
import { type ConnectionConfig, ConnectionConfigError } from "./connection_config.ts";
import { type Credential, IssuedCredential } from "./credentials.ts";
import type { Issuer } from "./issuers.ts";
import { type Kubeconfig, readKubeconfig } from "./kubeconfig_files.ts";

export interface LoadKubeconfigOptions {
  /** Merged in this order, as in `KUBECONFIG`. */
  paths: readonly string[];
  context?: string | undefined;
  clock: Clock;
}

/** How often files are read again, and the issuer of a credential is asked, which keeps track of its end. */
const ASK_AGAIN_MS = 30_000;

/**
 * Reads from kubeconfig files how to reach an API server.
 *
 * @throws {ConnectionConfigError}
 */
export async function loadKubeconfig(options: LoadKubeconfigOptions): Promise<ConnectionConfig> {
  const { clock } = options;
  const config = await readKubeconfig(options);
  const { cluster, context, user } = config;
  const { server, proxyUrl, tlsServerName } = cluster;
  if (!URL.canParse(server)) {
    throw new ConnectionConfigError(
      `Cannot use cluster ${cluster.name}: its 'server' is no URL, current value is ${server}`,
    );
  }
  if (cluster.skipTLSVerify && !server.startsWith("http://")) {
    throw new ConnectionConfigError(
      `Cannot use cluster ${cluster.name}: 'insecure-skip-tls-verify' is not supported; ` +
        "give the cluster's CA as 'certificate-authority-data' instead",
    );
  }
  if (tlsServerName && tlsServerName !== new URL(server).hostname) {
    throw new ConnectionConfigError(
      `Cannot use cluster ${cluster.name}: 'tls-server-name' is not supported; use ${tlsServerName} in 'server'`,
    );
  }
  const ca = await textOf(cluster.caData, cluster.caFile);
  let issuer = await issuerOf(config);
  const issue = async (refused: boolean): Promise<Credential> => {
    // A new issuer forgets the plugins' earlier answers, and sees the changes that other programs have made to the files.
    if (refused) issuer = await issuerOf(await readKubeconfig(options));
    return await issuer();
  };
  const credentials = new IssuedCredential(issue, clock);
  // Faulty credentials show here, not at the first request.
  await credentials.current();
  return {
    server,
    caCertificates: ca === undefined ? undefined : [ca],
    ...(cluster.caFile && !cluster.caData && { caFile: cluster.caFile }),
    credentials,
    // All ways but OIDC to have credentials issued start a program.
    needs: { files: "any", programs: Boolean(user?.exec) || (user?.authProvider?.name ?? "oidc") !== "oidc" },
    proxyUrl,
    namespace: context.namespace,
  };

  async function issuerOf(config: Kubeconfig): Promise<Issuer> {
    const { exec, authProvider, certFile, keyFile, tokenFile } = config.user ?? {};
    let issuer: Issuer = () => credentialOf(config);
    if (exec || authProvider) issuer = await (await import("./issuers.ts")).issuerOf(config);
    else if (!certFile && !keyFile && !tokenFile) return issuer;
    return async () => ({ ...await issuer(), expiresAt: clock.now() + ASK_AGAIN_MS });
  }
}

/** Returns the credential in the kubeconfig, or in the files that it names. */
async function credentialOf({ user }: Kubeconfig): Promise<Credential> {
  if (!user) return {};
  const certificate = await textOf(user.certData, user.certFile);
  const key = await textOf(user.keyData, user.keyFile);
  const token = user.tokenFile ? await textOf(undefined, user.tokenFile) : user.token;
  const headers: Record<string, string> = { ...user.impersonateHeaders };
  if (token) headers.Authorization = `Bearer ${String(token).trim()}`;
  else if (user.username) {
    headers.Authorization = `Basic ${Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64")}`;
  }
  return { headers, clientCertificate: certificate && key ? { certificate, key } : undefined };
}

/** Text in the kubeconfig itself, in base64, goes before a file. */
async function textOf(data: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (data) return Buffer.from(data, "base64").toString();
  if (!file) return undefined;
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "there is no such file" : (error as Error).message;
    throw new ConnectionConfigError(`Cannot read ${file}, which the kubeconfig names: ${reason}`);
  }
}
