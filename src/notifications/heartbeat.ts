import type { Clock } from "../base/clock.ts";
import type { HealthCheck } from "../runtime/health_check.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Leading } from "../runtime/take_over.ts";
import { eachMinute } from "./each_minute.ts";
import type { PingQueue } from "./ping_queue.ts";

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly pings: Pick<PingQueue, "add">;
  /** Of the check for this program itself. */
  readonly slug: string;
  /** Checks that must pass; empty: it is enough to be alive. */
  readonly checks: () => readonly HealthCheck[];
  /** Absent: it leads from the start. */
  readonly leading?: Leading | undefined;
}

/** Between two looks until it is well for the first time, and how many there are at most. */
const STARTING_MS = 1_000;
const STARTING_LOOKS = 60;

/**
 * Says each minute that this program is well, and leads; once it is unwell for two minutes in a row, that it is not. A check
 * of this period, with a grace of a few, notices that nothing runs CronJobs.
 */
export function heartbeat({ pings, slug, checks, ...options }: HeartbeatOptions): Runnable {
  const isWellNow = () => checks().every((check) => check.check().ok);
  /** Caches are filled first: that is no trouble as long as it comes to an end. */
  const begin = async (signal: AbortSignal) => {
    for (let looks = 0; looks < STARTING_LOOKS && !isWellNow() && !signal.aborted; looks++) {
      await options.clock.sleep(STARTING_MS, signal).catch(() => {/* it ends */});
    }
  };
  let begun: Promise<void> | undefined;
  let wasWell = true;
  const beat = async (signal: AbortSignal) => {
    await (begun ??= begin(signal));
    if (signal.aborted) return;
    const isWell = isWellNow();
    if (isWell) pings.add({ slug, signal: "success" });
    else if (!wasWell) pings.add({ slug, signal: "fail" });
    wasWell = isWell;
  };
  return { name: "heartbeat", run: (signal) => eachMinute(options, signal, () => beat(signal)) };
}
