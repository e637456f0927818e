import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { loadConnection } from "../../kube/connection.ts";
import { type ConnectionConfig, ConnectionConfigError } from "../../kube/connection_config.ts";
import { ownValue } from "../../base/own_value.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import { ConfigError } from "../errors.ts";
import type { ConnectionOptions } from "../flags/connection_options.ts";
import { defaultDataDir } from "../shared/data_dir.ts";
import { exists } from "../shared/files.ts";

/** How long the first request may take before the server counts as unreachable. */
const REACH_TIMEOUT_MS = 10_000;

/** @throws {ConfigError} where kubeconfig or service account lead nowhere */
export async function connectionOf({ kubeconfig, context }: ConnectionOptions): Promise<ConnectionConfig> {
  try {
    return await loadConnection({ kubeconfig, context });
  } catch (error) {
    if (!(error instanceof ConnectionConfigError)) throw error;
    const isChosen = kubeconfig !== undefined || Boolean(Deno.env.get("KUBECONFIG"));
    const hint = isChosen ? "" : await kubeconfigOfStandalone();
    throw new ConfigError(`${error.message}${hint}`, { cause: error });
  }
}

/** Where people who have no cluster may look. */
async function kubeconfigOfStandalone(): Promise<string> {
  if (!Deno.env.get("HOME")) return "";
  const path = `${defaultDataDir()}/kubeconfig`;
  // A failed look must not replace the error itself.
  return await exists(path).catch(() => false) ? `; that of standalone here is ${path}` : "";
}

/**
 * Asks a server whether it is that of a `standalone`. Fails in one line where no API server answers, or it does not accept the
 * credentials. Returns at once when `stop` is aborted, whether one would have or not.
 */
export async function reach(client: KubeClient, server: string, stop?: AbortSignal): Promise<{ isEmbedded: boolean }> {
  const tooLate = AbortSignal.timeout(REACH_TIMEOUT_MS);
  try {
    const response = await client.raw("/version", { signal: stop ? AbortSignal.any([stop, tooLate]) : tooLate });
    const { gitCommit } = await response.json().catch(() => ({}));
    return { isEmbedded: gitCommit === "cronjob-controller" };
  } catch (error) {
    if (stop?.aborted) return { isEmbedded: false };
    // A user who may not ask for this may be allowed all else.
    if (error instanceof ApiError && error.isForbidden) return { isEmbedded: false };
    if (error instanceof ApiError && error.isUnauthorized) {
      throw new Error(
        `The API server ${server} does not accept the credentials: they are wrong, or have expired`,
        { cause: error },
      );
    }
    const noAnswer = `it gives no answer within ${REACH_TIMEOUT_MS / 1000} s`;
    const reason = tooLate.aborted ? noAnswer : unreachableReason(error, "the kubeconfig names");
    const remedy = "--kubeconfig and --context choose another";
    throw new Error(`Cannot reach the API server ${server}: ${reason}; ${remedy}`, { cause: error });
  }
}

/**
 * Returns why there is no answer, without the path that was asked for, which means nothing to the user.
 *
 * @param trusts which CAs count: those that "the kubeconfig names", or "this machine trusts"
 */
export function unreachableReason(error: unknown, trusts: string): string {
  const reason = firstLineOf(error).replace(/^Cannot get \S+: /, "");
  const trouble = ownValue(CERTIFICATE_TROUBLE, /^invalid peer certificate: (\w+)/.exec(reason)?.[1] ?? "");
  return trouble?.(trusts) ?? reason;
}

const ofAnotherCa = (trusts: string) => `no CA that ${trusts} has signed its certificate`;

/** The library's errors about a certificate, in words. */
const CERTIFICATE_TROUBLE: Readonly<Record<string, (trusts: string) => string>> = {
  UnknownIssuer: ofAnotherCa,
  // A CA of the same name, as of a server that was set up anew.
  BadSignature: ofAnotherCa,
  Expired: () => "its certificate has expired",
};
