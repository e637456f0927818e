import { ApiError, type Status } from "./api_error.ts";
import type { Unread, WatchEvent } from "./client.ts";
import {
  deletionMisfitOf,
  eventMisfitOf,
  type Expected,
  listMisfitOf,
  looksLike,
  MisfitError,
  misfitOf,
} from "./misfit.ts";
import type { KubeObject } from "./object.ts";
import { apiVersionOf } from "./resource.ts";
import type { Answer } from "./sockets/answer.ts";
import { apiErrorFromStatus } from "./status.ts";

/** Reads the object of an answer. @throws {SyntaxError} @throws {MisfitError} */
export async function readObject<T>(answer: Answer, expected: Expected): Promise<T> {
  return believed(expected, JSON.parse(await answer.text()), misfitOf);
}

/** Reads a list, and gives its items their kind: those of a built-in one come without. @throws as {@linkcode readObject} */
export async function readList<L extends { items: KubeObject[] }>(answer: Answer, expected: Expected): Promise<L> {
  const list = JSON.parse(await answer.text());
  if (list?.items === null) list.items = [];
  if (Array.isArray(list?.items)) {
    const { resource } = expected;
    const apiVersion = apiVersionOf(resource);
    for (const item of list.items.filter((item: unknown) => item instanceof Object)) {
      item.apiVersion ??= apiVersion;
      item.kind ??= resource.kind;
    }
  }
  return believed(expected, list, listMisfitOf);
}

/** Reads what answers a deletion. @throws as {@linkcode readObject} */
export async function readDeletion(answer: Answer, expected: Expected): Promise<void> {
  believed(expected, JSON.parse(await answer.text()), deletionMisfitOf);
}

/** Believes an object by its looks where it can, and parses it at once where it cannot. @throws as {@linkcode readObject} */
export async function readUnread<T>(answer: Answer, expected: Expected): Promise<Unread<T>> {
  const text = await answer.text();
  const isWhole = text.trimEnd().at(-1) === "}";
  if (!isWhole || !looksLike(expected, text)) believed(expected, JSON.parse(text), misfitOf);
  return { length: text.length, read: () => believed<T>(expected, JSON.parse(text), misfitOf) };
}

function believed<T>(expected: Expected, answer: unknown, judge: typeof misfitOf): T {
  const misfit = judge(expected, answer);
  if (misfit !== undefined) throw new MisfitError(`the server's answer is of something else: ${misfit}`);
  return answer as T;
}

/** Reads a line of a watch stream. `action` completes "Cannot …". */
export function parseEvent<T>(line: string, action: string, expected: Expected): WatchEvent<T> {
  let event: { type?: string; object?: unknown };
  try {
    event = JSON.parse(line) ?? {};
  } catch {
    // Neither the line nor the parser's complaint, which quotes it: they may hold anything of an object.
    throw badGateway(action, `a line of ${line.length} characters that is no JSON`);
  }
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
    case "BOOKMARK": {
      const misfit = eventMisfitOf(expected, event.type, event.object);
      if (misfit !== undefined) throw badGateway(action, `an event of something else: ${misfit}`);
      return event as WatchEvent<T>;
    }
    case "ERROR":
      throw apiErrorFromStatus(action, (event.object ?? {}) as Status);
    default:
      throw badGateway(action, `an event of an unknown type: ${event.type}`);
  }
}

function badGateway(action: string, sent: string): ApiError {
  return new ApiError(`Cannot ${action}: the server sent ${sent}`, { code: 502 });
}
