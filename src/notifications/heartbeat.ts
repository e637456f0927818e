import { readyOrAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { HealthCheck } from "../runtime/health_check.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Leading } from "../runtime/take_over.ts";
import type { PingQueue } from "./ping_queue.ts";

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly pings: Pick<PingQueue, "add">;
  /** Of the check for this program itself. */
  readonly slug: string;
  /** What has to be well; empty: it is enough to be alive. */
  readonly checks: () => readonly HealthCheck[];
  /** Absent: it leads from the start. */
  readonly leading?: Leading;
}

/** A check with this period, and a grace of a few, notices that nothing runs CronJobs. */
const EVERY_MS = 60_000;
/** Between two looks until it is well for the first time. */
const STARTING_MS = 1_000;

/** Says each minute that this program is well, and leads; once it is unwell for two minutes in a row, that it is not. */
export class Heartbeat implements Runnable {
  readonly name = "heartbeat";
  readonly #options: HeartbeatOptions;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, pings, slug, checks, leading } = this.#options;
    if (leading && !await readyOrAborted([leading], signal)) return;
    const isWellNow = () => leading?.isLeader !== false && checks().every((check) => check.check().ok);
    // Caches are filled first: that is no trouble as long as it comes to an end.
    for (let waitedMs = 0; waitedMs < EVERY_MS && !isWellNow() && !signal.aborted; waitedMs += STARTING_MS) {
      await clock.sleep(STARTING_MS, signal).catch(() => {/* it ends */});
    }
    let wasWell = true;
    while (!signal.aborted) {
      const isWell = isWellNow();
      if (isWell) pings.add({ slug, signal: "success" });
      else if (!wasWell) pings.add({ slug, signal: "fail" });
      wasWell = isWell;
      await clock.sleep(EVERY_MS, signal).catch(() => {/* it ends */});
    }
  }
}
