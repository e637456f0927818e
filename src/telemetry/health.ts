import type { Answer } from "./http_endpoint.ts";
import { messageOf } from "./message_of.ts";

/** A part's answer to how it is. */
interface Check {
  readonly name: string;
  check(): { readonly ok: boolean; readonly detail?: string };
}

/**
 * Answers as the `healthz` of Kubernetes' programs do: 200 when all checks pass, else 500. `verbose` tells them one by one, a
 * failure always does; `exclude` leaves some out. Unlike there, the reasons are told.
 */
export function healthAnswer(name: string, checks: () => readonly Check[]): Answer {
  return (query) => {
    const excluded = new Set(query.getAll("exclude"));
    const results = checks().map((check) => {
      if (excluded.has(check.name)) return { ok: true, line: `[+]${check.name} excluded: ok` };
      const { ok, detail } = ask(check);
      const verdict = `${ok ? `[+]${check.name} ok` : `[-]${check.name} failed`}`;
      return { ok, line: detail ? `${verdict}: ${detail}` : verdict };
    });
    const ok = results.every((result) => result.ok);
    const lines = [...results.map(({ line }) => line), `${name} check ${ok ? "passed" : "failed"}`];
    const text = ok && !query.has("verbose") ? "ok" : `${lines.join("\n")}\n`;
    const headers = { "content-type": "text/plain; charset=utf-8" };
    return new Response(text, { status: ok ? 200 : 500, headers });
  };
}

function ask(check: Check): { ok: boolean; detail?: string } {
  try {
    return check.check();
  } catch (error) {
    return { ok: false, detail: messageOf(error) };
  }
}
