import type { Pod, Secret } from "../../kube/resource.ts";
import { decodeBase64, type References } from "../inputs/env.ts";

/** What a Pod's `imagePullSecrets` come to. */
export interface PullCredentials {
  /** In the form of an engine's own file of credentials; undefined if there are none. */
  readonly credentials: string | undefined;
  /** Names of Secrets that are not there or hold no credentials. */
  readonly missing: readonly string[];
}

type Credentials = Record<string, unknown>;

/** Reads a Pod's `imagePullSecrets`. Of two that are for one registry, the first counts. */
export async function credentialsOf(pod: Pod, references: References): Promise<PullCredentials> {
  const auths: Credentials = {};
  const missing: string[] = [];
  for (const { name = "" } of pod.spec?.imagePullSecrets ?? []) {
    const found = credentialsIn(await references.secret(name));
    if (!found) missing.push(name);
    for (const [registry, credentials] of Object.entries(found ?? {})) auths[registry] ??= credentials;
  }
  return { credentials: Object.keys(auths).length > 0 ? JSON.stringify({ auths }) : undefined, missing };
}

function credentialsIn(secret: Secret | undefined): Credentials | undefined {
  const { ".dockerconfigjson": current, ".dockercfg": old } = secret?.data ?? {};
  try {
    if (current) return (parsed(current) as { auths?: Credentials }).auths;
    return old ? parsed(old) as Credentials : undefined;
  } catch {
    // Not JSON: as good as missing.
    return undefined;
  }
}

function parsed(base64: string): unknown {
  return JSON.parse(new TextDecoder().decode(decodeBase64(base64)));
}
