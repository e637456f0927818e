import type { RequestLanes } from "../lanes/request_lanes.ts";
import type { Layer } from "./call.ts";
import type { RequestObserver } from "./request.ts";

/** Has a call wait for its place in its lane, which it holds until its answer is read. */
export function lane(lanes: RequestLanes, host: string, observer: RequestObserver | undefined): Layer {
  return (next) => async (call) => {
    const { request: { lane, namespace, method, signal, place: given } } = call;
    using place = given?.isHeld ? given : await lanes.acquire(lane, namespace, signal);
    observer?.onLaneWait?.({ lane, method, host, waitMs: place.waitedMs });
    return await next(call);
  };
}
