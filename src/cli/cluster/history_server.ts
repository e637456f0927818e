import { ApiError } from "../../kube/api_error.ts";
import type { ConnectionConfig } from "../../kube/connection_config.ts";
import { ConfigError } from "../errors.ts";
import type { HistoryServerOptions } from "../flags/history_server_options.ts";
import { bothOf } from "../flags/options.ts";
import { readSecretFile } from "../shared/secret_file.ts";
import { unreachableReason } from "./connection.ts";
import type { HistoryServer } from "./kept_history.ts";

/** How to reach the server that remembers runs, and what its refusals mean. */
interface AskedServer extends Required<Pick<HistoryServer, "refusal">> {
  readonly connection: ConnectionConfig;
}

/**
 * Returns the server that a command line names; undefined where it names none. No credential of a kubeconfig goes there.
 *
 * @throws {ConfigError} where a token could be read on the way, a flag is missing, or a file cannot be read
 */
export async function historyServerOf(
  { server, tokenFile, certificateAuthority: caFile }: HistoryServerOptions,
): Promise<AskedServer | undefined> {
  const given = bothOf(["--server", server], ["--token-file", tokenFile]);
  if (given === undefined) {
    if (caFile === undefined) return undefined;
    throw new ConfigError("--certificate-authority is that of --server: give both, or neither");
  }
  const [address, file] = given;
  const url = URL.parse(address);
  if (url?.protocol !== "https:" || url.href !== `${url.origin}/`) {
    throw new ConfigError(`--server must be https://host or https://host:port, current value is ${address}`);
  }
  const connection: ConnectionConfig = {
    server: `${url.origin}/api`,
    token: (await readSecretFile(file, "--token-file")).trim(),
    caCertificates: caFile === undefined ? [] : [await readSecretFile(caFile, "--certificate-authority")],
  };
  return { connection, refusal: (error) => refusalOf(error, url.origin, file) };
}

function refusalOf(cause: unknown, server: string, tokenFile: string): Error {
  if (!(cause instanceof ApiError)) {
    const reason = unreachableReason(cause, "--certificate-authority");
    return new Error(`Cannot read the history of ${server}: ${reason}`, { cause });
  }
  if (cause.isUnauthorized) {
    const remedy = "kubectl create token prints another";
    const message = `${server} does not accept the token in ${tokenFile}: it is wrong, or has expired; ${remedy}`;
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
