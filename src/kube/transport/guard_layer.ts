import type { ExchangeLayer } from "./call.ts";
import { Departure, UNGUARDED } from "./departure.ts";

/** Has the guard of a write stand before each exchange, and lets it know what became of the request. */
export const guard: ExchangeLayer = {
  begins(call) {
    const { guard } = call.request;
    call.departure = guard ? new Departure(guard) : UNGUARDED;
  },
  answered(call, { status }) {
    // A server that failed, or no longer waits for its storage, may do it all the same.
    call.departure.ended(status < 500);
  },
  unanswered(call) {
    call.departure.ended(false);
  },
};
