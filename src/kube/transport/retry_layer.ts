import type { Clock } from "../../base/clock.ts";
import { ApiError } from "../api_error.ts";
import { asksToComeBack, retryDelayMs } from "../retry.ts";
import type { Layer } from "./call.ts";
import type { Refusals } from "./refusals.ts";

/** Sends a call again as often as the server asks for it, within the patience of its lane. */
export function retry({ clock, refusals, closed }: { clock: Clock; refusals: Refusals; closed: AbortSignal }): Layer {
  return (next) => async (call) => {
    const { namespace, lane, method, signal } = call.request;
    let waitedMs = 0;
    for (let attempts = 1;; attempts++) {
      closed.throwIfAborted();
      try {
        return await next(call);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // No admission webhook judges a read, and none is expected to judge Leases.
        if (asksToComeBack(error)) refusals.note({ namespace, byServer: lane === "lease" || method === "GET" });
        const delayMs = retryDelayMs(lane, error, { attempts, waitedMs });
        if (delayMs === undefined) throw error;
        await clock.sleep(delayMs, signal ? AbortSignal.any([closed, signal]) : closed);
        waitedMs += delayMs;
      }
    }
  };
}
