import type { Place, PlaceWaiter } from "../client.ts";
import { Share } from "./fair_queue.ts";
import type { Linked } from "./linked_list.ts";
import type { LimitedLane, Places } from "./places.ts";

/** A request that waits for a place. */
export interface Waiter extends Linked<Waiter> {
  readonly share: NamespaceShare;
  readonly signal: AbortSignal | undefined;
  /** Monotonic. */
  readonly since: number;
  readonly told: PlaceWaiter;
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

/** Leases take no place from others. */
export class LeasePlace implements Place {
  readonly waitedMs = 0;
  #onRelease: (() => void) | undefined;

  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  get isHeld(): boolean {
    return this.#onRelease !== undefined;
  }

  [Symbol.dispose](): void {
    this.#onRelease?.();
    this.#onRelease = undefined;
  }
}

/** A request in flight. */
export class Ticket implements Linked<Ticket>, Place {
  readonly share: NamespaceShare;
  /** Monotonic. */
  readonly since: number;
  readonly waitedMs: number;
  /** Where it counts: may change while it is in flight. */
  places: Places<Waiter>;
  previous?: Ticket;
  next?: Ticket;
  #onRelease: ((ticket: Ticket) => void) | undefined;

  constructor(
    share: NamespaceShare,
    { since, waitedMs }: { since: number; waitedMs: number },
    onRelease: (ticket: Ticket) => void,
  ) {
    this.share = share;
    this.since = since;
    this.waitedMs = waitedMs;
    this.places = share.places;
    this.#onRelease = onRelease;
  }

  get isHeld(): boolean {
    return this.#onRelease !== undefined;
  }

  [Symbol.dispose](): void {
    const release = this.#onRelease;
    this.#onRelease = undefined;
    release?.(this);
  }
}
