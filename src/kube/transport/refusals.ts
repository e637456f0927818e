import type { Clock } from "../../base/clock.ts";
import type { RequestLanes } from "../lanes/request_lanes.ts";
import { Overload } from "./overload.ts";

/** For how long refusals hold other requests back at most. Whatever is refused after that may do so again. */
const PAUSE_MS = 3_000;

/** Between two probes. */
const PROBE_MS = 1_000;

export interface RefusalsOptions {
  readonly clock: Clock;
  readonly lanes: RequestLanes;
  /** Sends a probe; resolves to whether the server answers it like one that is well. */
  readonly probe: () => Promise<boolean>;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/**
 * Finds out what refusals that ask to come back mean for other requests: mostly nothing.
 *
 * Each refusal has a probe sent, one a second at most. If the server is suspect meanwhile ({@linkcode Overload}), or the
 * probe is refused too, nothing else leaves for a while, and then fewer at a time. It ends at once when a probe is
 * answered well.
 */
export class Refusals {
  readonly #options: RefusalsOptions;
  readonly #overload = new Overload();
  #isProbing = false;

  constructor(options: RefusalsOptions) {
    this.#options = options;
  }

  /** Notes a refusal. No admission webhook can be the reason where it is the server that refuses (`byServer`). */
  note(refused: { readonly namespace: string | undefined; readonly byServer: boolean }): void {
    const { clock, lanes } = this.#options;
    if (this.#overload.refused(refused, clock.monotonic())) lanes.pause(PAUSE_MS);
    if (!this.#isProbing) this.#probe();
  }

  async #probe(): Promise<void> {
    const { clock, lanes, probe, signal } = this.#options;
    this.#isProbing = true;
    try {
      for (let probes = 1;; probes++) {
        if (await probe()) {
          this.#overload.well(clock.monotonic());
          lanes.resume();
        } else if (probes === 1) {
          // Once: after the pause, those who were held back find out by themselves.
          lanes.pause(PAUSE_MS);
          lanes.lowerLimit();
        }
        await clock.sleep(PROBE_MS, signal);
        if (!lanes.isPaused) return;
      }
    } catch {
      // The client was closed.
    } finally {
      this.#isProbing = false;
    }
  }
}
