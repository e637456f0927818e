import { readyOrAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { StandByOptions } from "../runtime/take_over.ts";

/** Between two calls. */
const EVERY_MS = 60_000;

/** Calls `work` at once and each minute while this process leads. */
export async function eachMinute(
  { clock, leading }: { readonly clock: Clock } & Pick<StandByOptions, "leading">,
  signal: AbortSignal,
  work: () => void | Promise<void>,
): Promise<void> {
  if (leading && !await readyOrAborted([leading], signal)) return;
  while (!signal.aborted) {
    if (leading?.isLeader !== false) await work();
    await clock.sleep(EVERY_MS, signal).catch(() => {/* it ends */});
  }
}
