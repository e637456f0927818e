import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export interface PersistOptions {
  readonly clock: Clock;
  /** Aborted when the program stops: its next life removes what is left. */
  readonly signal: AbortSignal;
  /** For the log. @default any of unknown Pods */
  readonly container?: string;
}

const logger = loggerFor("kubelet");

/** Calls `remove` until it succeeds: again after 1 s, then ever more rarely, up to a minute. Never rejects. */
export async function persist(
  remove: () => Promise<void>,
  { clock, signal, container = "of unknown pods" }: PersistOptions,
): Promise<void> {
  for (let retryMs = RETRY_MS;; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    try {
      return await remove();
    } catch (error) {
      if (signal.aborted) return;
      const about = { container, error: messageOf(error) };
      logger.warn("Cannot remove container {container}, trying again: {error}", about);
    }
    if (!await clock.sleep(retryMs, signal).then(() => true, () => false)) return;
  }
}
