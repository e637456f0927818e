import { Share } from "./fair_queue.ts";
import type { Linked } from "./linked_list.ts";
import type { LimitedLane, Places } from "./places.ts";

/** The right to be in flight. To be disposed of when the answer is there. */
export type Place = Disposable;

/** A request that waits for a place. */
export interface Waiter extends Linked<Waiter> {
  readonly share: NamespaceShare;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (place: Place) => void;
  readonly reject: (reason: unknown) => void;
}

/** What a namespace has in a lane. */
export class NamespaceShare extends Share<Waiter> {
  readonly lane: LimitedLane;
  readonly namespace: string;
  /** Where its requests get their place. */
  places: Places<Waiter>;
  /** In a row. */
  answersInTime = 0;

  constructor(lane: LimitedLane, namespace: string, places: Places<Waiter>) {
    super();
    this.lane = lane;
    this.namespace = namespace;
    this.places = places;
  }
}

/** A request in flight. */
export class Ticket implements Linked<Ticket>, Disposable {
  readonly share: NamespaceShare;
  /** Monotonic. */
  readonly since: number;
  /** Where it counts: may change while it is in flight. */
  places: Places<Waiter>;
  previous?: Ticket;
  next?: Ticket;
  readonly #onRelease: (ticket: Ticket) => void;

  constructor(share: NamespaceShare, since: number, onRelease: (ticket: Ticket) => void) {
    this.share = share;
    this.since = since;
    this.places = share.places;
    this.#onRelease = onRelease;
  }

  [Symbol.dispose](): void {
    this.#onRelease(this);
  }
}
