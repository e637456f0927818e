import type { Clock } from "../base/clock.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { messageOf } from "../telemetry/message_of.ts";

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

const logger = loggerFor("kubelet");

/**
 * Calls `work` until it succeeds: again after 1 s, then ever more rarely. Never rejects.
 *
 * @param what for the log, with its verb first
 * @param options.longestMs between two tries. @default a minute
 * @param options.signal aborted when it is not to be tried any more: the program's next life sees to what is left
 */
export async function persist(
  what: string,
  work: () => Promise<void>,
  { clock, longestMs = MAX_RETRY_MS, signal }: {
    readonly clock: Clock;
    readonly longestMs?: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  for (let retryMs = RETRY_MS;; retryMs = Math.min(2 * retryMs, longestMs)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return;
      logger.warn(`Cannot ${what}, trying again: {error}`, { error: messageOf(error) });
    }
    if (!await clock.sleep(retryMs, signal).then(() => true, () => false)) return;
  }
}

/** Resolves once all work has ended; rejects then, if any has failed. */
export async function allOf(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === "rejected");
  if (failed) await Promise.reject((failed as PromiseRejectedResult).reason);
}
