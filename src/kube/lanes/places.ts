import type { Lane } from "../client.ts";
import { FairQueue, type Share } from "./fair_queue.ts";
import type { Linked } from "./linked_list.ts";

/** The lanes whose requests need a place, the most urgent first. */
export const LIMITED_LANES = ["run", "status", "read", "housekeeping", "event"] as const satisfies readonly Lane[];

export type LimitedLane = typeof LIMITED_LANES[number];

/**
 * How many of the places may be taken (as a share of all) when a request of a lane starts. What is left over is room
 * that a more urgent lane finds free at once, however much work the lower lanes have.
 */
const LOAD_LIMIT: Record<LimitedLane, number> = { run: 1, status: 0.75, read: 0.75, housekeeping: 0.5, event: 0.25 };

/** A lane in which something has been waiting all this time is starving. */
export const STARVING_MS = 3_000;

/** The share of the places for all starving lanes together while more urgent requests wait; at least one place. */
const STARVING_SHARE = 0.1;

/**
 * A number of places, what has one, and what waits for one: the most urgent lane goes first, and within a lane each
 * namespace has its turn. Decides only; its caller acts.
 */
export class Places<W extends Linked<W>> {
  readonly #queues = perLane(() => new FairQueue<W>());
  readonly #taken = perLane(() => 0);
  /** Since when something has been waiting in the lane without a break, by the monotonic clock. */
  readonly #waitingSince = perLane(() => Infinity);
  #total = 0;
  #waiting = 0;

  get taken(): number {
    return this.#total;
  }

  get waiting(): number {
    return this.#waiting;
  }

  takenBy(lane: LimitedLane): number {
    return this.#taken[lane];
  }

  waitingIn(lane: LimitedLane): number {
    return this.#queues[lane].size;
  }

  /** Whether a request of the lane may start at once. */
  isFree(lane: LimitedLane, limit: number): boolean {
    return this.#waiting === 0 && this.#hasRoom(lane, limit);
  }

  add(lane: LimitedLane): void {
    this.#taken[lane]++;
    this.#total++;
  }

  remove(lane: LimitedLane): void {
    this.#taken[lane]--;
    this.#total--;
  }

  /** Changes how many requests a namespace has in flight, here and elsewhere: that decides about its turn here. */
  count(lane: LimitedLane, share: Share<W>, change: 1 | -1): void {
    this.#queues[lane].count(share, change);
  }

  wait(lane: LimitedLane, share: Share<W>, waiter: W, now: number): void {
    this.#queues[lane].push(share, waiter);
    this.#grow(lane, 1, now);
  }

  forget(lane: LimitedLane, share: Share<W>, waiter: W): void {
    this.#queues[lane].remove(share, waiter);
    this.#shrink(lane, 1);
  }

  /** Takes over all that a namespace has waiting elsewhere. */
  takeOver(lane: LimitedLane, share: Share<W>, from: Places<W>, now: number): void {
    const count = share.waiting.size;
    if (count === 0) return;
    this.#queues[lane].take(share, from.#queues[lane]);
    from.#shrink(lane, count);
    this.#grow(lane, count, now);
  }

  /**
   * The lane whose turn it is, if there is a place for it among `limit`. A namespace that has nothing in flight in its lane
   * may have one among `ownLimit`.
   */
  nextLane(limit: number, now: number, ownLimit = 0): LimitedLane | undefined {
    if (this.#waiting === 0) return undefined;
    const lane = this.#total < limit ? this.#laneWithRoom(limit, now) : undefined;
    if (lane !== undefined || this.#total >= ownLimit) return lane;
    return LIMITED_LANES.find((lane) => this.#queues[lane].nextHasNone);
  }

  #laneWithRoom(limit: number, now: number): LimitedLane | undefined {
    const urgent = LIMITED_LANES.find((lane) => this.#queues[lane].size > 0 && this.#hasRoom(lane, limit));
    return this.#starving(limit, now, urgent) ?? urgent;
  }

  /** Hands a place to the next request of a lane in which one waits. */
  start(lane: LimitedLane): W {
    const waiter = this.#queues[lane].shift()!;
    this.#shrink(lane, 1);
    this.add(lane);
    return waiter;
  }

  /** Of the starving lanes the one that has the least, unless they have all that they get. */
  #starving(limit: number, now: number, urgent: LimitedLane | undefined): LimitedLane | undefined {
    let next: LimitedLane | undefined;
    let taken = 0;
    for (const lane of LIMITED_LANES) {
      // However long it has been waiting, it is served.
      if (lane === urgent || now - this.#waitingSince[lane] < STARVING_MS) continue;
      taken += this.#taken[lane];
      if (next === undefined || this.#taken[lane] < this.#taken[next]) next = lane;
    }
    return taken < Math.max(1, limit * STARVING_SHARE) ? next : undefined;
  }

  #hasRoom(lane: LimitedLane, limit: number): boolean {
    return this.#total < Math.max(1, limit * LOAD_LIMIT[lane]);
  }

  #grow(lane: LimitedLane, by: number, now: number): void {
    this.#waiting += by;
    this.#waitingSince[lane] = Math.min(this.#waitingSince[lane], now);
  }

  #shrink(lane: LimitedLane, by: number): void {
    this.#waiting -= by;
    if (this.#queues[lane].size === 0) this.#waitingSince[lane] = Infinity;
  }
}

function perLane<V>(make: () => V): Record<LimitedLane, V> {
  return { run: make(), status: make(), read: make(), housekeeping: make(), event: make() };
}
