import type { Place, PlaceWaiter } from "../client.ts";
import { Share } from "./fair_queue.ts";
import type { Linked } from "./linked_list.ts";
import type { LimitedLane, Places } from "./places.ts";

/** A request that waits for a place. */
export interface Waiter extends Linked<Waiter> {
  readonly share: NamespaceShare;
  readonly signal: AbortSignal | undefined;
  /** By the monotonic clock, since when it waits. */
  readonly since: number;
  readonly caller: PlaceWaiter;
}

/** A namespace in a lane: its waiters, and where its requests get their places. */
export class NamespaceShare extends Share<Waiter> {
  readonly lane: LimitedLane;
  readonly namespace: string;
  /** The places for all namespaces, or the places for slow ones. */
  places: Places<Waiter>;
  /** How many requests in a row were answered in time since the namespace became slow. */
  answersInTime = 0;

  constructor(lane: LimitedLane, namespace: string, places: Places<Waiter>) {
    super();
    this.lane = lane;
    this.namespace = namespace;
    this.places = places;
  }
}

/** The place of a request for a Lease, which takes none from other requests. */
export class LeasePlace implements Place {
  readonly waitedMs = 0;
  #onRelease: (() => void) | undefined;

  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  get isHeld(): boolean {
    return this.#onRelease !== undefined;
  }

  use(): boolean {
    return this.isHeld;
  }

  [Symbol.dispose](): void {
    this.#onRelease?.();
    this.#onRelease = undefined;
  }
}

/** Counts the tickets: takes one back, or renews it for the next request. */
export interface TicketOffice {
  release(ticket: Ticket): void;
  /** Returns whether one more request may leave with it at once. */
  renew(ticket: Ticket): boolean;
}

/** A place that is held, by one request after the other. */
export class Ticket implements Linked<Ticket>, Place {
  readonly share: NamespaceShare;
  /** When the request that is in flight left, by the monotonic clock. */
  since: number;
  waitedMs: number;
  /** The places that it is one of: it may be moved to those for slow namespaces while its request is in flight. */
  places: Places<Waiter>;
  previous?: Ticket | undefined;
  next?: Ticket | undefined;
  #office: TicketOffice | undefined;
  #isUsed = false;

  constructor(
    share: NamespaceShare,
    { since, waitedMs }: { since: number; waitedMs: number },
    office: TicketOffice,
  ) {
    this.share = share;
    this.since = since;
    this.waitedMs = waitedMs;
    this.places = share.places;
    this.#office = office;
  }

  get isHeld(): boolean {
    return this.#office !== undefined;
  }

  use(): boolean {
    // The first request leaves with the place as it was taken.
    if (this.#isUsed && this.#office?.renew(this) === false) this[Symbol.dispose]();
    this.#isUsed = true;
    return this.isHeld;
  }

  [Symbol.dispose](): void {
    const office = this.#office;
    this.#office = undefined;
    office?.release(this);
  }
}
