import { ApiError, type Status } from "./api_error.ts";
import type { WatchEvent } from "./client.ts";
import type { Answer } from "./sockets/answer.ts";
import { apiErrorFromStatus } from "./status.ts";

/** Reads an answer's body as JSON, unchecked. @throws {SyntaxError} */
export async function json<T>(answer: Answer): Promise<T> {
  return JSON.parse(await answer.text());
}

/**
 * Returns the body of an answer that is an object, unparsed.
 *
 * @throws {SyntaxError} for anything else: it does not come from an API server but from a proxy before it, and nothing
 * may have been done
 */
export async function text(answer: Answer): Promise<string> {
  const body = await answer.text();
  if (body[0] !== "{" || body.trimEnd().at(-1) !== "}") throw new SyntaxError("not an object");
  return body;
}

/** Reads a line of a watch stream. `action` completes "Cannot …". */
export function parseEvent<T>(line: string, action: string): WatchEvent<T> {
  let event: { type?: string; object?: unknown };
  try {
    event = JSON.parse(line);
  } catch {
    // Neither the line nor the parser's complaint, which quotes it: they may hold anything of an object.
    throw badGateway(action, `a line of ${line.length} characters that is no JSON`);
  }
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
    case "BOOKMARK":
      return event as WatchEvent<T>;
    case "ERROR":
      throw apiErrorFromStatus(action, event.object as Status);
    default:
      throw badGateway(action, `an event of an unknown type: ${event.type}`);
  }
}

function badGateway(action: string, sent: string): ApiError {
  return new ApiError(`Cannot ${action}: the server sent ${sent}`, { code: 502 });
}
