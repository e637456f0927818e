import type { Failure, Session } from "../wire.ts";
import { keptValue } from "./model/value.ts";

/** The server refused. */
export class Refusal extends Error {
  constructor(readonly code: number, { message }: Failure) {
    super(message);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A bearer token, where one logs in by one. It is kept nowhere else: a page that is loaded again asks for it again. */
let token = "";

export function useToken(text: string) {
  token = text;
}

/** Namespaces that the visitor asks for, as they may not look at all; none: all that are served. */
export const scope = keptValue("namespaces", namesIn);

/** Names that stand behind each other, with blanks or commas between. */
export function namesIn(text: string): readonly string[] {
  return text.toLowerCase().split(/[\s,]+/).filter(Boolean);
}

/** Sends an authenticated request, about the namespaces that are looked at. */
async function ask(path: string, init: RequestInit = {}) {
  const headers = new Headers(init.headers);
  if (token !== "") headers.set("authorization", `Bearer ${token}`);
  const url = new URL(path, location.origin);
  if (!url.searchParams.has("in")) { for (const name of scope.current) url.searchParams.append("in", name); }
  const response = await fetch(url, { ...init, headers }).catch(sayAway);
  if (!response.ok) throw new Refusal(response.status, await failureOf(response));
  return response;
}

/** A browser says "Failed to fetch". @throws {Error} */
function sayAway(error: Error): never {
  if (error.name === "AbortError") throw error;
  throw new Error(AWAY, { cause: error });
}

const AWAY = "The server does not answer. Does the program still run?";

/** They reorder the text around them, ours too. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Reads JSON in which marks of direction stand as they are written in code. */
function parsed<T>(json: string): T {
  return JSON.parse(json.replaceAll(DIRECTIONS, (mark) => `\\\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

async function failureOf(response: Response): Promise<Failure> {
  try {
    return parsed(await response.text());
  } catch {
    return { reason: "NoAnswer", message: `The server answered ${response.status}` };
  }
}

export async function read<Answer>(path: string, signal: AbortSignal | null = null): Promise<Answer> {
  return parsed(await (await ask(path, { signal })).text());
}

export async function post<Answer>(path: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return parsed(await (await ask(path, { method: "POST", headers, body: JSON.stringify(body) })).text() || "{}");
}

/** The version that this page is of, as far as the program said it. */
let version: string | undefined;

/** Returns who is logged in, or how one logs in. */
export async function session(signal: AbortSignal | null = null): Promise<Session> {
  const headers: HeadersInit = token === "" ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch("/api/session", { headers, signal });
  if (!response.ok && response.status !== 401) throw new Refusal(response.status, await failureOf(response));
  const answer: Session = await response.json();
  version ??= answer.version;
  return answer;
}

/** Returns whether another version of the program answers than that of this page. */
export async function isUpgraded(signal: AbortSignal): Promise<boolean> {
  const { version: now = version } = await session(signal);
  return now !== version;
}

/** A stream says something at least every ten seconds. */
export const SILENCE_MS = 25_000;

/** The lines of a stream, each read as JSON, until it ends. @throws {Error} where nothing is heard of it */
export async function* lines<T>(path: string, ...signals: AbortSignal[]): AsyncGenerator<T> {
  const silence = new AbortController();
  const hear = () => setTimeout(() => silence.abort(new Error(AWAY)), SILENCE_MS);
  let timer = hear();
  try {
    const response = await ask(path, { signal: AbortSignal.any([...signals, silence.signal]) });
    const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
      .pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(timer);
      timer = hear();
      if (done) return;
      const parts = (rest + value).split("\n");
      rest = parts.pop() as string;
      for (const part of parts) yield parsed(part);
    }
  } finally {
    clearTimeout(timer);
  }
}
