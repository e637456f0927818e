import { X509Certificate } from "node:crypto";
import type { ConnectionConfig } from "../kube/connection_config.ts";
import { HttpKubeClient } from "../kube/http_client.ts";
import { type AllowedHosts, LOOPBACK_NAMES } from "./http/guards.ts";
import { Dashboard, type DashboardOptions } from "./server.ts";
import { TokenVisitors } from "./visitors/token_visitors.ts";

export interface TokenDashboardOptions extends Omit<DashboardOptions, "serve"> {
  /** How to reach the API server. With which credentials the program itself does so, is no matter here. */
  readonly connection: ConnectionConfig;
  readonly userAgent: string;
}

/**
 * Opens a dashboard for everyone who has a bearer token of the cluster; on loopback, unless there is `tls`. Nothing is asked of
 * the API server but with that token.
 *
 * @throws {ListenError}
 * @throws {Error} for a certificate that cannot be served
 */
export function openTokenDashboard({ connection, userAgent, ...options }: TokenDashboardOptions): Dashboard {
  const { clock, tls } = options;
  const { server, caCertificates, caFile, proxyUrl } = connection;
  // Named one by one: no credential of the program's own can come along.
  const clientFor = (token: string) =>
    HttpKubeClient.to({ server, caCertificates, caFile, proxyUrl, token }, { clock, userAgent });
  const hosts: AllowedHosts = tls
    ? { names: namesOf(tls.cert), port: undefined, protocol: "https:" }
    : { names: LOOPBACK_NAMES, port: undefined, protocol: "http:" };
  const serve = () => ({ visitors: new TokenVisitors({ clock, clientFor }), hosts });
  return new Dashboard({ ...options, serve });
}

/** Returns the names that a certificate is good for, each in full: behind a pattern there may be any host. */
export function namesOf(certificate: string): string[] {
  const { subjectAltName } = new X509Certificate(certificate);
  const names = (subjectAltName ?? "").split(", ").flatMap((entry) => {
    const [, kind, name] = /^(DNS|IP Address):(.+)$/.exec(entry) ?? [];
    if (name === undefined || name.includes("*")) return [];
    return [(kind === "DNS" || !name.includes(":") ? name : new URL(`http://[${name}]`).host).toLowerCase()];
  });
  if (names.length === 0) throw new Error("the certificate names no host in full");
  return names;
}
