import type { RequestLanes } from "../lanes/request_lanes.ts";
import type { Layer } from "./call.ts";
import type { RequestObserver } from "./request.ts";

/** Has a call wait for its place in its lane, which it holds until its answer is read. A place that it was given stays. */
export function lane(lanes: RequestLanes, host: string, observer: RequestObserver | undefined): Layer {
  return (next) => async (call) => {
    const { request: { lane, namespace, method, signal, place: given } } = call;
    using own = given?.use() ? undefined : await lanes.acquire(lane, namespace, signal);
    observer?.onLaneWait?.({ lane, method, host, waitMs: (own ?? given)!.waitedMs });
    try {
      return await next(call);
    } catch (error) {
      // A request that is sent again waits for its turn.
      given?.[Symbol.dispose]();
      throw error;
    }
  };
}
