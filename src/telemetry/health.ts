import type { Answer } from "./http_endpoint.ts";
import { messageOf } from "./message_of.ts";
import { redact } from "./redact.ts";

/** A health check of a part of the program. */
export interface Check {
  readonly name: string;
  check(): { readonly ok: boolean; readonly detail?: string };
}

/**
 * Answers as the `healthz` of Kubernetes' programs do: 200 when all checks pass, else 500. `verbose` lists them one by one, a
 * failure always does; `exclude` leaves some out; a path below is that of one check alone. Unlike those, it gives reasons.
 */
export function healthAnswer(name: string, checks: () => readonly Check[]): Answer {
  return (query, below) => below === "" ? answerAll(name, checks(), query) : answerOne(below, checks());
}

function answerAll(name: string, checks: readonly Check[], query: URLSearchParams): Response {
  const excluded = new Set(query.getAll("exclude").filter((text) => text !== ""));
  const results = checks.map((check) => {
    if (excluded.has(check.name)) return { ok: true, line: `[+]${check.name} excluded: ok` };
    const { ok, detail } = askCheck(check);
    const verdict = ok ? `[+]${check.name} ok` : `[-]${check.name} failed`;
    return { ok, line: detail ? `${verdict}: ${detail}` : verdict };
  });
  const ok = results.every((result) => result.ok);
  const lines = results.map(({ line }) => line);
  const unknown = [...excluded].filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(", ");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  lines.push(`${name} check ${ok ? "passed" : "failed"}`);
  return plain(ok, ok && !query.has("verbose") ? "ok" : `${lines.join("\n")}\n`);
}

/** Several parts may have a check of one name. */
function answerOne(name: string, checks: readonly Check[]): Response | undefined {
  const results = checks.filter((check) => check.name === name).map(askCheck);
  if (results.length === 0) return undefined;
  const failed = results.find(({ ok }) => !ok);
  return failed ? plain(false, `internal server error: ${failed.detail ?? "failed"}\n`) : plain(true, "ok");
}

function plain(ok: boolean, text: string): Response {
  return new Response(text, { status: ok ? 200 : 500, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** Returns what a check says; one that throws has failed. */
export function askCheck(check: Check): { ok: boolean; detail?: string | undefined } {
  try {
    const { ok, detail } = check.check();
    return { ok, detail: detail && redact(detail) };
  } catch (error) {
    return { ok: false, detail: redact(messageOf(error)) };
  }
}
