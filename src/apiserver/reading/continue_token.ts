import { isObject } from "../is_object.ts";
import { byteLength } from "../kinds/validation/names.ts";
import { badRequest, type Refusal } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import { jsonSyntaxError } from "../schema/json_syntax.ts";
import { jsonTypeOf } from "../schema/scalars.ts";

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
const FIELDS = { v: "string", rv: "int64", start: "string" };

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
  const { v = "", rv = 0, start = "" } = contentOf(text);
  if (v !== VERSION) throw unreadable(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw unreadable(`: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === "") throw unreadable(`: encoded start key empty (version ${VERSION})`);
  if (/(^|\/)\.{0,2}(\/|$)/.test(start.replace(/^\//, ""))) throw unreadable(`: ${start}`);
  return { version: rv, after: start.replace(/\0$/, "") };
}

function contentOf(text: string): Json {
  const wrongAt = illegalByte(text);
  if (wrongAt !== undefined) throw unreadable(`: illegal base64 data at input byte ${wrongAt}`);
  const bytes = Uint8Array.fromBase64(text.replace(/[\r\n]/g, ""), { alphabet: "base64url" });
  const problem = jsonSyntaxError(bytes);
  if (problem) throw unreadable(`: ${problem}`);
  const content = JSON.parse(new TextDecoder().decode(bytes)) ?? {};
  if (!isObject(content)) throw mismatch(content, "Go value of type storage.continueToken");
  for (const [field, type] of Object.entries(FIELDS)) {
    const value = content[field] ?? undefined;
    const isRight = type === "string" ? typeof value === "string" : Number.isSafeInteger(value);
    if (value === undefined || isRight) continue;
    throw mismatch(value, `Go struct field continueToken.${field} of type ${type}`, type);
  }
  return content;
}

/** Returns where Go's reader of Base64 without padding ends. */
function illegalByte(text: string): number | undefined {
  const at = text.search(/[^\w\r\n-]/);
  if (at >= 0) return byteLength(text.slice(0, at));
  return text.replace(/[\r\n]/g, "").length % 4 === 1 ? text.length - 1 : undefined;
}

function mismatch(value: unknown, into: string, goType = ""): Refusal {
  return unreadable(`: json: cannot unmarshal ${jsonTypeOf(value, goType)} into ${into}`);
}

function unreadable(why: string): Refusal {
  return badRequest(`invalid continue token: continue key is not valid${why}`);
}
