import type { CredentialSource } from "./credentials.ts";

/** The permissions that renewing the credentials takes, besides the API server. */
export interface CredentialNeeds {
  /** The folder whose files are read again; `any`: those that a kubeconfig names, and itself. */
  readonly files: string;
  /** Whether a program issues them. */
  readonly programs: boolean;
}

/** How to reach an API server, and as whom. At most one way of authentication is given. */
export interface ConnectionConfig {
  /** `https://host:port`, with a path in front of `/api` where a proxy asks for one. */
  readonly server: string;
  /** PEM, in addition to the machine's own trust store. */
  readonly caCertificates?: readonly string[] | undefined;
  /** A file that holds them all, and is read again when the server cannot be reached: CAs are replaced too. */
  readonly caFile?: string | undefined;
  readonly token?: string | undefined;
  /** A file that holds the token, and is read again as it is rotated. */
  readonly tokenFile?: string;
  /** Anything that has to be renewed otherwise, such as an exec plugin's credential. */
  readonly credentials?: CredentialSource;
  /** @default {{ files: "any", programs: true }} as nothing is known */
  readonly needs?: CredentialNeeds;
  /** `http://…`, `https://…` or `socks5://…`. */
  readonly proxyUrl?: string | undefined;
  /** The namespace that the kubeconfig's context or the service account names. */
  readonly namespace?: string | undefined;
}

/** No connection can be made out of what the user gave. The message names what to change. */
export class ConnectionConfigError extends Error {
  override readonly name = "ConnectionConfigError";
}
