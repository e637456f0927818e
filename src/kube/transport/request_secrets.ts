import type { Credential } from "../credentials.ts";

/** Shorter texts say nothing that was worth hiding, and stand everywhere. */
const MIN_LENGTH = 4;

/**
 * Returns what must not come back in the message of an error about a request, though a server, or something before it, may
 * repeat it there: what the request was authenticated with, and the values of environment variables and Secrets in its
 * body.
 */
export function secretsOf(credential: Credential, { body, action }: { body?: unknown; action: string }): string[] {
  const { token, headers = {}, clientCertificate } = credential;
  const found = new Set<string>([token, ...Object.values(headers), clientCertificate?.key].filter(isText));
  // `Basic …`, `Bearer …`: the second part alone as well.
  for (const text of [...found]) for (const part of text.split(/\s+/).slice(1)) found.add(part);
  if (typeof body === "string") collect(parse(body), found);
  // A name of the object is no secret, even where a variable has the same value.
  return [...found].filter((text) => text.length >= MIN_LENGTH && !action.includes(text))
    .sort((a, b) => b.length - a.length);
}

/** Without recursion: a body may be nested as deeply as it likes. */
function collect(body: unknown, found: Set<string>): void {
  const left = [body];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const { env, kind, data, stringData } = value as Record<string, unknown>;
    if (Array.isArray(env)) { for (const variable of env) add(variable?.value, found); }
    if (kind === "Secret") {
      for (const text of [data, stringData].flatMap((values) => Object.values(values ?? {}))) add(text, found);
    }
    for (const member of Object.values(value)) left.push(member);
  }
}

function add(value: unknown, found: Set<string>): void {
  if (typeof value === "number") found.add(String(value));
  if (isText(value)) found.add(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
