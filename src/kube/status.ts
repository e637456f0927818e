import { withoutSecrets } from "../telemetry/redact.ts";
import { ApiError, type Status } from "./api_error.ts";
import type { Answer } from "./sockets/answer.ts";

/**
 * A server, a webhook or a load balancer may ask for any pause, and is often well long before its end. Ten seconds spare a
 * server in trouble nearly all requests, and are soon over when it recovers.
 */
const LONGEST_RETRY_AFTER_MS = 10_000;

/**
 * Returns the `ApiError` for a refusal, also where its `body` never comes. `action` completes "Cannot …", such as
 * `create jobs default/report`; `secrets` are blacked out wherever the body repeats them.
 */
export async function apiErrorOf(
  action: string,
  response: Answer,
  body: Promise<string>,
  secrets: () => Iterable<string>,
): Promise<ApiError> {
  const text = withoutSecrets(await body.catch(() => ""), secrets());
  const status = parseStatus(text);
  const reason = status?.message || text.trim().slice(0, 500) ||
    `HTTP ${response.status} ${response.statusText}`.trim();
  return new ApiError(`Cannot ${action}: ${reason}`, {
    code: response.status,
    status,
    retryAfterMs: retryAfterMs(response.headers.get("retry-after")),
  });
}

/** Returns the `ApiError` for a Status that came inside a stream. */
export function apiErrorFromStatus(action: string, status: Status): ApiError {
  // Text would become NaN, and that no pause at all.
  const seconds = Number.isFinite(status.details?.retryAfterSeconds) ? status.details?.retryAfterSeconds : undefined;
  return new ApiError(`Cannot ${action}: ${status.message ?? status.reason ?? "the server gives no reason"}`, {
    code: status.code ?? 500,
    status,
    retryAfterMs: seconds === undefined ? undefined : Math.min(seconds * 1_000, LONGEST_RETRY_AFTER_MS),
  });
}

function parseStatus(text: string): Status | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const body = JSON.parse(text);
    return body?.kind === "Status" ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the header `Retry-After`. Kubernetes sends whole seconds; an HTTP date, which the RFC allows too, counts as a second. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, LONGEST_RETRY_AFTER_MS) : 1_000;
}
