import { ApiError, ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { CONFIG_MAPS, type Pod, SECRETS } from "../../kube/resource.ts";
import { ContainerConfigError } from "./config_error.ts";

/** The contents of a ConfigMap or a Secret, decoded. */
export interface Contents {
  readonly data: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
  /** Of a ConfigMap alone. */
  readonly binaryData: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
}

export type ReferenceKind = "ConfigMap" | "Secret";

/** Reads a ConfigMap or a Secret of a Pod's namespace; undefined where there is none. */
export type References = (kind: ReferenceKind, name: string) => Promise<Contents | undefined>;

/** Returns a reader for a Pod, which asks the API server. */
export function referencesOf({ metadata: { namespace } }: Pod, client: KubeClient): References {
  return async (kind, name) => {
    const resource = kind === "ConfigMap" ? CONFIG_MAPS : SECRETS;
    const found = await client.get(resource, { name, namespace }).catch(ignoreNotFound).catch(refused);
    return found && contentsOf(kind, found);
  };
}

/** Decodes what a ConfigMap or a Secret holds. @throws {SyntaxError} where bytes are no base64 */
export function contentsOf(
  kind: ReferenceKind,
  { data = {}, binaryData = {} }: { data?: Record<string, string>; binaryData?: Record<string, string> },
): Contents {
  const encoder = new TextEncoder();
  const bytes = (base64: string) => Uint8Array.fromBase64(base64);
  return {
    data: decoded(data, kind === "ConfigMap" ? (text) => encoder.encode(text) : bytes),
    binaryData: decoded(binaryData, bytes),
  };
}

function decoded(data: Record<string, string>, decode: (text: string) => Uint8Array<ArrayBuffer>) {
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, decode(text)]));
}

function refused(error: unknown): never {
  throw error instanceof ApiError ? new ContainerConfigError(error.message, { cause: error }) : error;
}
