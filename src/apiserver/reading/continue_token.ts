import { isObject } from "../../base/is_object.ts";
import { badRequest, type Refusal } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";

/** Where the next page of a list begins. */
export interface PageStart {
  /** {@linkcode LATEST} where the client has chosen to go on with what there is now. */
  readonly version: number;
  /** The last key that has been given. */
  readonly after: string;
}

/** Stands in a token for the version of the day. */
export const LATEST = -1;

const VERSION = "meta.k8s.io/v1";

/** Returns the text that a client goes on with. */
export function writeToken({ version, after }: PageStart): string {
  // The key after the last one, as etcd has them.
  const start = JSON.stringify({ v: VERSION, rv: version, start: `${after}\0` });
  return new TextEncoder().encode(start).toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Reads what a client goes on with; storage `DecodeContinue`.
 *
 * @throws {Refusal} 400
 */
export function readToken(text: string): PageStart {
  const { v, rv, start } = contentOf(text);
  const isKey = typeof start === "string" && start !== "" && !/(^|\/)\.{0,2}(\/|$)/.test(start.replace(/^\//, ""));
  if (v !== VERSION || !Number.isSafeInteger(rv) || rv === 0 || !isKey) throw unreadable();
  return { version: rv, after: start.replace(/\0$/, "") };
}

function contentOf(text: string): Json {
  try {
    const bytes = Uint8Array.fromBase64(text.replace(/[\r\n]/g, ""), { alphabet: "base64url" });
    const content: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isObject(content)) return content;
  } catch {
    // Neither Base64 nor JSON: it is none of ours.
  }
  throw unreadable();
}

function unreadable(): Refusal {
  return badRequest("invalid continue token: list anew without it");
}
