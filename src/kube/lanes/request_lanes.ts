import { after, type Clock } from "../../base/clock.ts";
import type { Lane, Place, PlaceWaiter } from "../client.ts";
import { AbortListeners } from "./abort_listeners.ts";
import { InFlightLimit } from "./in_flight_limit.ts";
import { LinkedList } from "./linked_list.ts";
import { NamespaceShares } from "./namespace_shares.ts";
import { Pause } from "./pause.ts";
import { type LimitedLane, Places } from "./places.ts";
import { LeasePlace, type NamespaceShare, Ticket, type Waiter } from "./ticket.ts";
import { TokenBucket } from "./token_bucket.ts";

/** A request that is in flight for longer makes its namespace a slow one. */
export const SLOW_MS = 500;

/** So many answers in time, one after the other, and a namespace is no longer slow. */
const ANSWERS_IN_TIME = 8;

/**
 * How many slow requests may be in flight, times the limit, where one was sent before its namespace was known as slow, or
 * its namespace has no other in flight.
 */
const SET_ASIDE_LIMIT = 3;

export interface RequestLanesOptions {
  clock: Clock;
  /** @default {64} */
  maxInFlight?: number;
  /** Requests a second over all lanes but that of leases, in the long run. @default none */
  qps?: number | undefined;
  /** Requests that may leave at once before `qps` holds. @default {2 * qps} */
  burst?: number | undefined;
}

/**
 * Decides which request leaves next. The most urgent lane goes first, and within a lane the namespace that has the fewest
 * in flight; within a namespace the oldest.
 *
 * ### Slow namespaces
 * A namespace whose answers take long (an admission webhook of its own that is slow) would soon have all places. So there
 * are as many places again for slow namespaces alone, and those who answer in time never wait for them. A request that
 * turns out to be slow moves there when others wait: its place is free after `SLOW_MS` at the latest. A slow namespace that
 * has nothing in flight waits for no place, so that one that was slow for a moment soon shows that it no longer is.
 *
 * ### How many
 * `limit` at a time, which is `maxInFlight` while the server is well ({@linkcode InFlightLimit}), and as many of slow
 * namespaces. Up to `SET_ASIDE_LIMIT` times as many where much was sent before it was known to be slow, or many are.
 *
 * ### Leases
 * wait for nothing: they are few, and who renews late stops leading just when there is much to do.
 */
export class RequestLanes {
  /** When nothing but leases may leave. */
  readonly pauses: Pause;
  readonly #clock: Clock;
  readonly #limit: InFlightLimit;
  readonly #places = new Places<Waiter>();
  readonly #slowPlaces = new Places<Waiter>();
  /** Tickets that have one of `#places`, the oldest first. */
  readonly #inTime = new LinkedList<Ticket>();
  readonly #namespaces = new NamespaceShares(this.#places);
  readonly #aborts = new AbortListeners<Waiter>((waiter, reason) => this.#turnAway(waiter, reason));
  readonly #bucket: TokenBucket | undefined;
  #leases = 0;
  #wakeAt = Infinity;
  #wake: Disposable | undefined;
  /** How often it was asked for since what runs of it began. */
  #pumpsAsked = 0;

  constructor(options: RequestLanesOptions) {
    this.#clock = options.clock;
    this.pauses = new Pause(options.clock);
    this.#limit = new InFlightLimit(options.maxInFlight ?? 64);
    if (options.qps !== undefined) {
      this.#bucket = new TokenBucket({
        clock: options.clock,
        burst: options.burst ?? Math.max(1, 2 * options.qps),
        perSecond: options.qps,
      });
    }
  }

  /** How many requests may be in flight now, without those of slow namespaces. */
  get limit(): number {
    return this.#limit.current;
  }

  get isPaused(): boolean {
    return this.pauses.until > this.#clock.monotonic();
  }

  inFlight(lane: Lane): number {
    return lane === "lease" ? this.#leases : this.#places.takenBy(lane) + this.#slowPlaces.takenBy(lane);
  }

  waiting(lane: Lane): number {
    return lane === "lease" ? 0 : this.#places.waitingIn(lane) + this.#slowPlaces.waitingIn(lane);
  }

  /** Whether the answers to requests of this lane take long in a namespace. */
  isSlow(lane: Lane, namespace = ""): boolean {
    this.#setAside(this.#clock.monotonic());
    return this.#namespaces.find(lane as LimitedLane, namespace)?.places === this.#slowPlaces;
  }

  /** Resolves when a request of this lane may leave. What is in no namespace shares as if it were one. */
  acquire(lane: Lane, namespace?: string, signal?: AbortSignal): Promise<Place> {
    return new Promise((start, turnAway) => this.whenFree(lane, namespace, { start, turnAway }, signal));
  }

  /** Has `waiter` started when a request of this lane may leave, which may be at once. */
  whenFree(lane: Lane, namespace = "", waiter: PlaceWaiter, signal?: AbortSignal): void {
    if (signal?.aborted) return waiter.turnAway(signal.reason);
    const place = this.#placeAtOnce(lane, namespace);
    if (place) waiter.start(place);
    else this.#wait(lane as LimitedLane, namespace, waiter, signal);
  }

  /** Lets nothing but leases leave for a while. */
  pause(delayMs: number): void {
    this.pauses.extend(delayMs);
  }

  /** The server is overloaded: fewer at a time, until it has answered many. */
  lowerLimit(): void {
    this.#limit.lower();
  }

  resume(): void {
    this.pauses.end();
    this.#pump();
  }

  /** Turns away everything that waits. */
  close(reason: unknown): void {
    this.#wake?.[Symbol.dispose]();
    for (const { waiting } of this.#namespaces.all()) {
      while (waiting.first) this.#turnAway(waiting.first, reason);
    }
  }

  /** Returns undefined where it has to be waited for: never in the lane of leases. */
  #placeAtOnce(lane: Lane, namespace: string): Place | undefined {
    if (lane === "lease") {
      this.#leases++;
      return new LeasePlace(() => void this.#leases--);
    }
    const now = this.#clock.monotonic();
    const share = this.#namespaces.of(lane, namespace);
    if (this.pauses.until > now || !share.places.isFree(lane, this.limit) || !this.#takeToken()) return undefined;
    share.places.add(lane);
    share.places.count(lane, share, 1);
    return this.#enter(share, { since: now, waitedMs: 0 });
  }

  #wait(lane: LimitedLane, namespace: string, caller: PlaceWaiter, signal: AbortSignal | undefined): void {
    const since = this.#clock.monotonic();
    const share = this.#namespaces.of(lane, namespace);
    const waiter: Waiter = { share, signal, since, caller };
    if (signal) this.#aborts.add(signal, waiter);
    share.places.wait(lane, share, waiter, since);
    this.#pump();
  }

  /** Lets all leave that may. Who is started may end at once, and ask for another turn: it comes after this one. */
  #pump(): void {
    if (this.#pumpsAsked++ > 0) return;
    for (let done = 0; done < this.#pumpsAsked;) {
      done = this.#pumpsAsked;
      this.#pumpOnce();
    }
    this.#pumpsAsked = 0;
  }

  #pumpOnce(): void {
    if (this.#places.waiting + this.#slowPlaces.waiting === 0) return;
    const now = this.#clock.monotonic();
    this.#setAside(now);
    if (this.pauses.until <= now && this.#startAll(this.#places, now, 0)) {
      this.#startAll(this.#slowPlaces, now, SET_ASIDE_LIMIT * this.limit);
    }
    this.#setTimer(now);
  }

  /** Whether the rate allows more. */
  #startAll(places: Places<Waiter>, now: number, ownLimit: number): boolean {
    for (;;) {
      const lane = places.nextLane(this.limit, now, ownLimit);
      if (lane === undefined) return true;
      if (!this.#takeToken()) return false;
      const waiter = places.start(lane);
      if (waiter.signal) this.#aborts.remove(waiter.signal, waiter);
      waiter.caller.start(this.#enter(waiter.share, { since: now, waitedMs: now - waiter.since }));
    }
  }

  #enter(share: NamespaceShare, times: { since: number; waitedMs: number }): Place {
    const ticket = new Ticket(share, times, this.#office);
    if (ticket.places === this.#places) this.#inTime.push(ticket);
    return ticket;
  }

  readonly #office = {
    release: (ticket: Ticket) => this.#release(ticket),
    renew: (ticket: Ticket) => this.#renew(ticket),
  };

  /** The request after the first has waited for nothing, and obeys what holds for all. */
  #renew(ticket: Ticket): boolean {
    const now = this.#clock.monotonic();
    if (this.pauses.until > now || !this.#takeToken()) return false;
    this.#noteAnswer(ticket, now);
    ticket.since = now;
    ticket.waitedMs = 0;
    if (ticket.places !== this.#places) return true;
    this.#inTime.remove(ticket);
    this.#inTime.push(ticket);
    return true;
  }

  #release(ticket: Ticket): void {
    const { share, places } = ticket;
    if (places === this.#places) this.#inTime.remove(ticket);
    places.remove(share.lane);
    share.places.count(share.lane, share, -1);
    this.#noteAnswer(ticket, this.#clock.monotonic());
    this.#namespaces.forgetIdle(share);
    this.#pump();
  }

  #noteAnswer({ share, since }: Ticket, now: number): void {
    this.#limit.answered();
    if (now - since >= SLOW_MS) this.#becomeSlow(share);
    else if (share.places === this.#slowPlaces && ++share.answersInTime >= ANSWERS_IN_TIME) {
      this.#move(share, this.#places);
    }
  }

  /** Frees the places of those that have had theirs for long. */
  #setAside(now: number): void {
    for (let ticket = this.#inTime.first; ticket && this.#mayBeSetAside(ticket, now); ticket = this.#inTime.first) {
      this.#inTime.remove(ticket);
      this.#places.remove(ticket.share.lane);
      this.#slowPlaces.add(ticket.share.lane);
      ticket.places = this.#slowPlaces;
      this.#becomeSlow(ticket.share);
    }
  }

  #mayBeSetAside(ticket: Ticket, now: number): boolean {
    return now - ticket.since >= SLOW_MS && this.#slowPlaces.taken < SET_ASIDE_LIMIT * this.#limit.max;
  }

  #becomeSlow(share: NamespaceShare): void {
    share.answersInTime = 0;
    this.#move(share, this.#slowPlaces);
  }

  #move(share: NamespaceShare, places: Places<Waiter>): void {
    if (share.places === places) return;
    places.takeOver(share.lane, share, share.places, this.#clock.monotonic());
    share.places = places;
  }

  #turnAway(waiter: Waiter, reason: unknown): void {
    const { share, signal } = waiter;
    if (signal) this.#aborts.remove(signal, waiter);
    share.places.forget(share.lane, share, waiter);
    this.#namespaces.forgetIdle(share);
    waiter.caller.turnAway(reason);
  }

  #takeToken(): boolean {
    return this.#bucket === undefined || this.#bucket.take();
  }

  /** Whatever ends lets others leave. Without that, only time does. */
  #setTimer(now: number): void {
    if (this.#places.waiting + this.#slowPlaces.waiting === 0) return;
    const at = this.#nextChangeAt(now);
    if (at === Infinity || at >= this.#wakeAt) return;
    this.#wake?.[Symbol.dispose]();
    this.#wakeAt = at;
    this.#wake = after(this.#clock, Math.max(1, at - now), () => {
      this.#wakeAt = Infinity;
      this.#pump();
    });
  }

  #nextChangeAt(now: number): number {
    if (this.pauses.until > now) return this.pauses.until;
    if (this.#bucket && !this.#bucket.hasToken()) return this.#bucket.nextTokenAt();
    const oldest = this.#inTime.first;
    return oldest && now - oldest.since < SLOW_MS ? oldest.since + SLOW_MS : Infinity;
  }
}
