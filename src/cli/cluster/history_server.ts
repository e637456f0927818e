import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { ConnectionConfig } from "../../kube/connection_config.ts";
import { splitKey } from "../../kube/object.ts";
import { SERVICE_ACCOUNTS } from "../../kube/resource.ts";
import { pathOf } from "../../kube/resource_path.ts";
import { ConfigError } from "../errors.ts";
import type { HistoryServerOptions } from "../flags/history_server_options.ts";
import { httpsOriginOf } from "../shared/https_origin.ts";
import { readSecretFile } from "../shared/secret_file.ts";
import { unreachableReason } from "./connection.ts";

/**
 * Returns how to reach the server that a command line names, and what its refusals mean; undefined where it names none. No
 * credential of a kubeconfig goes there; the token of `serviceAccount` takes the place of that of the connection.
 *
 * @throws {ConfigError} where a token could be read on the way, a flag is missing, or a file cannot be read
 */
export async function historyServerOf(
  { server: address, tokenFile, serviceAccount, certificateAuthority: caFile }: HistoryServerOptions,
) {
  if (address === undefined) {
    if ((tokenFile ?? serviceAccount ?? caFile) === undefined) return undefined;
    throw new ConfigError("--token-file, --service-account and --certificate-authority are for --server: give it too");
  }
  const origin = httpsOriginOf("--server", address);
  if ((tokenFile ?? serviceAccount) === undefined) {
    throw new ConfigError(
      "--server gets no credential of the kubeconfig, neither a token nor a client certificate: give --token-file, or " +
        "--service-account for a token that the API server makes",
    );
  }
  const connection: ConnectionConfig = {
    server: `${origin}/api`,
    token: tokenFile && (await readSecretFile(tokenFile, "--token-file")).trim(),
    caCertificates: caFile === undefined ? [] : [await readSecretFile(caFile, "--certificate-authority")],
  };
  const whose = tokenFile === undefined ? `of ServiceAccount ${serviceAccount}` : `in ${tokenFile}`;
  const trusts = caFile === undefined ? "this machine trusts" : "--certificate-authority names";
  return {
    connection,
    serviceAccount,
    refusal: (error: unknown) => refusalOf(error, { server: origin, whose, trusts }),
  };
}

/** The shortest time that Kubernetes allows. */
const TOKEN_SECONDS = 600;

/**
 * Returns a new token of a ServiceAccount, by the rights of the client.
 *
 * @param account its name, or its namespace and name
 * @throws {Error} saying what to do, where the API server gives none
 */
export async function tokenOf(client: KubeClient, account: string, namespace: string): Promise<string> {
  const { namespace: own = namespace, name } = splitKey(account);
  const body = JSON.stringify({
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: TOKEN_SECONDS },
  });
  const headers = { "content-type": "application/json" };
  try {
    const path = pathOf(SERVICE_ACCOUNTS, { namespace: own, name }, "token");
    return (await (await client.raw(path, { method: "POST", body, headers })).json()).status.token;
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const reason = `Cannot get a token of ServiceAccount ${name} in namespace ${own}: ${cause.status?.message}`;
    throw new Error(`${reason}; --token-file takes a token that is made for you`, { cause });
  }
}

interface RefusedAs {
  readonly server: string;
  /** Of which account, or in which file, the token is. */
  readonly whose: string;
  /** The CAs that count, as in {@linkcode unreachableReason}. */
  readonly trusts: string;
}

function refusalOf(cause: unknown, { server, whose, trusts }: RefusedAs): Error {
  if (!(cause instanceof ApiError)) {
    const reason = unreachableReason(cause, trusts);
    return new Error(`Cannot read the history of ${server}: ${reason}`, { cause });
  }
  if (cause.isUnauthorized) {
    const remedy = "kubectl create token prints another";
    const message = `${server} does not accept the token ${whose}: it is wrong, or has expired; ${remedy}`;
    return new Error(message, { cause });
  }
  return new Error(`Cannot read the history of ${server}: ${reasonOf(cause)}`, { cause });
}

/** Returns the message of a dashboard's answer; a proxy before it may send anything. */
function reasonOf({ message }: ApiError): string {
  try {
    return JSON.parse(message.slice(message.indexOf("{"))).message ?? message;
  } catch {
    return message;
  }
}
