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

/** Reads what a Pod refers to. Undefined stands for what is not there. */
export type References = (kind: ReferenceKind, name: string) => Promise<Contents | undefined>;

/** Reads what a Pod refers to from the API server. */
export function referencesOf({ metadata: { namespace } }: Pod, client: KubeClient): References {
  return async (kind, name) => {
    const resource = kind === "ConfigMap" ? CONFIG_MAPS : SECRETS;
    const found = await client.get(resource, { name, namespace }).catch(ignoreNotFound).catch(refused);
    return found && contentsOf(kind, found);
  };
}

/** Decodes what a ConfigMap or a Secret holds. */
export function contentsOf(
  kind: ReferenceKind,
  { data = {}, binaryData = {} }: { data?: Record<string, string>; binaryData?: Record<string, string> },
): Contents {
  const encoder = new TextEncoder();
  return {
    data: decoded(data, kind === "ConfigMap" ? (text) => encoder.encode(text) : decodeBase64),
    binaryData: decoded(binaryData, decodeBase64),
  };
}

/**
 * Decodes what a Secret holds.
 *
 * @throws {DOMException} where it is no base64
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function decoded(data: Record<string, string>, decode: (text: string) => Uint8Array<ArrayBuffer>) {
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, decode(text)]));
}

function refused(error: unknown): never {
  throw error instanceof ApiError ? new ContainerConfigError(error.message, { cause: error }) : error;
}
