import { ApiError } from "./api_error.ts";
import type { Lane } from "./client.ts";
import { UnreachableError } from "./unreachable_error.ts";

/** Attempts of one request, the first included, that the server may turn away for a moment. client-go's number. */
const MAX_ATTEMPTS = 10;

/** Where the answer names no time. */
const DEFAULT_WAIT_MS = 1_000;

/** Between two attempts at least: an answer may ask for none, and would be asked for ten times at once. */
const SHORTEST_WAIT_MS = 100;

/** Only the server, or what stands before it, refuses a read, and may be well again long before the time it names. */
const LONGEST_READ_WAIT_MS = 3_000;

/**
 * How long a request waits in all for its next attempts; what asks for more is its caller's at once. Those who write for
 * one object of many, or renew a lease, have retries of their own, and other things to do meanwhile.
 */
const PATIENCE_MS: Record<Lane, number> = {
  lease: 0,
  run: 0,
  status: 0,
  read: 30_000,
  housekeeping: 5_000,
  event: 0,
};

/** Returns how long what answered asks to be left alone at least, or what is due to it. */
export function retryAfterMsOf(error: unknown): number {
  return error instanceof ApiError || error instanceof UnreachableError ? error.retryAfterMs ?? 0 : 0;
}

/** Returns whether the server was too busy, or is going down or coming up: it did nothing, and says when to ask again. */
export function asksToComeBack(error: ApiError): boolean {
  return error.code === 429 || (error.code >= 500 && error.retryAfterMs !== undefined);
}

/**
 * Returns how long to wait for the next attempt: as long as the server asks, a read no longer than `LONGEST_READ_WAIT_MS`.
 * Undefined where there is none, as the lane's patience is at its end or the error asks for none.
 */
export function retryDelayMs(
  lane: Lane,
  error: ApiError,
  { attempts, waitedMs }: { readonly attempts: number; readonly waitedMs: number },
): number | undefined {
  if (!asksToComeBack(error) || PATIENCE_MS[lane] === 0 || attempts >= MAX_ATTEMPTS) return undefined;
  const askedForMs = error.retryAfterMs ?? DEFAULT_WAIT_MS;
  const longestMs = lane === "read" ? LONGEST_READ_WAIT_MS : Infinity;
  const delayMs = Math.max(SHORTEST_WAIT_MS, Math.min(askedForMs, longestMs));
  return waitedMs + delayMs <= PATIENCE_MS[lane] ? delayMs : undefined;
}
