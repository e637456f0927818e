import type { Clock } from "../../runtime/clock.ts";

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export interface PersistOptions {
  readonly clock: Clock;
  /** Aborted when the program stops: its next life does what is left. */
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/** Calls `work` until it succeeds: again after 1 s, then ever more rarely, up to a minute. Never rejects. */
export async function persist(work: () => Promise<void>, options: PersistOptions): Promise<void> {
  const { clock, signal, onFailure } = options;
  for (let retryMs = RETRY_MS;; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return;
      onFailure(error);
    }
    if (!await clock.sleep(retryMs, signal).then(() => true, () => false)) return;
  }
}
