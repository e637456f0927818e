import type { Clock } from "./clock.ts";

type CollectGarbage = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** How long until it may be done once more. */
const REST_MS = 10 * 60_000;
const MINUTE_MS = 60_000;
/** Most runs are due as a minute begins: so long before and after it nothing stands still. */
const MARGIN_MS = 3_000;

let releasedAt = -Infinity;

/**
 * Gives what is no longer needed back to the system, after work that leaves much of it behind. All else stands still
 * meanwhile, some 3 ms for each MB that is in use: so it is done once in ten minutes at most, and not about the beginning of
 * a minute. Does nothing where V8 was not started with `--expose-gc`.
 */
export function releaseMemory(clock: Clock): void {
  const { gc } = globalThis as { gc?: CollectGarbage };
  const now = clock.monotonic();
  const ofMinute = clock.now() % MINUTE_MS;
  const isQuiet = ofMinute > MARGIN_MS && ofMinute < MINUTE_MS - MARGIN_MS;
  if (!gc || !isQuiet || now - releasedAt < REST_MS) return;
  releasedAt = now;
  gc({ type: "major", flavor: "last-resort" });
}
