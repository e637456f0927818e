import type { Clock } from "../base/clock.ts";
import type { HealthCheck } from "../runtime/health_check.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Leading } from "../runtime/take_over.ts";
import { eachMinute } from "./each_minute.ts";
import type { PingQueue } from "./ping_queue.ts";

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly pings: Pick<PingQueue, "add">;
  /** The slug of the check for this program itself. */
  readonly slug: string;
  /** Checks that must pass for the program to be well; empty: it is enough to be alive. */
  readonly checks: () => readonly HealthCheck[];
  /** Absent: this process leads from the start. */
  readonly leading?: Leading | undefined;
}

/** Between two looks whether the program is well for the first time. */
const STARTING_LOOK_MS = 1_000;
/** So many of these looks at most. */
const STARTING_LOOKS = 60;

/**
 * Pings each minute while this process leads: `success` where the program is well, `fail` where it is not and was not a minute
 * ago. A check with a period of a minute, and a grace of a few, notices that nothing runs CronJobs.
 */
export function heartbeat({ pings, slug, checks, ...options }: HeartbeatOptions): Runnable {
  const isWellNow = () => checks().every((check) => check.check().ok);
  /** Waits until the program is well for the first time: it fills its caches, which is no trouble unless it takes long. */
  const begin = async (signal: AbortSignal) => {
    for (let looks = 0; looks < STARTING_LOOKS && !isWellNow() && !signal.aborted; looks++) {
      await options.clock.sleep(STARTING_LOOK_MS, signal).catch(() => {/* it ends */});
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
