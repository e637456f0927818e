import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { Refusal } from "../refusals.ts";
import { encode } from "./encode.ts";
import type { Answer } from "./exchange.ts";
import { encodingOfStatus } from "./negotiation.ts";
import { warningHeader } from "./warnings.ts";

const log = loggerFor("apiserver", "http");

/** Larger bodies are refused, as kube-apiserver does. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** Where a request is from, as its headers say. */
export interface Origin {
  /** Undefined where HTTP/2 has another way to say it. */
  readonly host?: string;
  readonly origin?: string;
}

/**
 * A web page must not reach the server through a name that it made point here, nor by asking the browser to send a
 * request. Programs send no Origin.
 *
 * @throws {Refusal}
 */
export function checkOrigin({ host = "localhost", origin }: Origin): void {
  const name = host.replace(/:\d+$/, "");
  if (name !== "127.0.0.1" && name !== "localhost" && name !== "[::1]") {
    throw new Refusal(
      421,
      "Misdirected",
      `the server does not serve host ${JSON.stringify(name)}; use 127.0.0.1 or localhost`,
    );
  }
  if (origin !== undefined) throw new Refusal(403, "Forbidden", "the server takes no requests from web pages");
}

/** Returns the refusal of a body that is larger than `MAX_BODY_BYTES`. */
export function tooLarge(): Refusal {
  return new Refusal(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY_BYTES}`);
}

/**
 * Returns the decoded path, and the query.
 *
 * @throws {Refusal} where the path is not properly escaped
 */
export function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const question = url.indexOf("?");
  return {
    path: decodePath(question < 0 ? url : url.slice(0, question)),
    query: new URLSearchParams(question < 0 ? "" : url.slice(question + 1)),
  };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Refusal(400, "BadRequest", `the path ${path} is not properly escaped`);
  }
}

/** Returns one array of `size` bytes with those of all chunks. */
export function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/** Returns the answer to a request whose handling threw. */
export function refusalAnswer(
  error: unknown,
  request: { method?: string; url?: string },
  accept: string | undefined,
): Answer {
  if (!(error instanceof Refusal)) {
    log.error("Cannot answer a request: {error}", { method: request.method, path: request.url?.split("?")[0], error });
    error = new Refusal(500, "InternalError", `Internal error occurred: ${messageOf(error)}`);
  }
  const refusal = error as Refusal;
  const retryAfter = refusal.details?.retryAfterSeconds;
  return encode(JSON.stringify(refusal.toStatus()), { view: { encoding: encodingOfStatus(accept) } }, {
    code: refusal.code,
    warnings: refusal.warnings,
    ...(retryAfter === undefined ? {} : { headers: { "retry-after": String(retryAfter) } }),
  });
}

/** Returns all headers of an answer but its length. */
export function headersOf(answer: Answer): [name: string, value: string][] {
  const warning = warningHeader(answer.warnings ?? []);
  return [
    ...Object.entries(answer.headers ?? {}),
    ...(answer.contentType ? [["content-type", answer.contentType] as [string, string]] : []),
    ...(warning === undefined ? [] : [["warning", warning] as [string, string]]),
    // The rest of a body that was not read would be taken for the next request.
    ...(answer.code === 413 ? [["connection", "close"] as [string, string]] : []),
  ];
}
