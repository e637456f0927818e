import { FairQueue, Share } from "../kube/lanes/fair_queue.ts";
import { type Linked, LinkedList } from "../kube/lanes/linked_list.ts";
import { SLOW_MS } from "../kube/lanes/request_lanes.ts";
import { splitKey } from "../kube/object.ts";

/** How many keys may be at work in all, as a multiple of the limit, when a namespace has none at work and takes one. */
const OWN_TURNS = 20;

/** A key that waits, or is worked on. */
interface Turn extends Linked<Turn> {
  readonly key: string;
  readonly share: NamespaceTurns;
  /** Since when it is worked on, by the monotonic clock. */
  since?: number;
  /** Among which it is worked on. */
  among?: Pool;
}

/** Keys that share a limit. */
class Pool {
  readonly waiting = new FairQueue<Turn>();
  atWork = 0;
}

class NamespaceTurns extends Share<Turn> {
  /** Where its keys wait. */
  pool: Pool;
  /** How many of its keys are worked on among the slow ones. */
  slow = 0;

  constructor(pool: Pool) {
    super();
    this.pool = pool;
  }
}

/**
 * Decides which key is worked on next. It is one of the namespace that has the fewest at work; within a namespace it is
 * the oldest. Keys without a slash share as if they were of one namespace.
 *
 * - A key that is worked on for longer than `SLOW_MS` waits for something, such as an admission webhook. It is set aside:
 *   its place is free for another.
 * - While a key of a namespace is set aside, the namespace is slow. Slow namespaces have a limit of their own, which is
 *   as high, so that all keys of a slow one take no place from the others.
 * - A namespace that has nothing at work takes a key at once. So it waits for no other, however many of these are slow.
 *
 * Each step costs the same, however much waits.
 */
export class Turns {
  /** How many keys are worked on at a time, apart from slow ones. */
  limit: number;
  readonly #isStrict: boolean;
  /** The oldest first. */
  readonly #waiting = new Map<string, Turn>();
  readonly #working = new Map<string, Turn>();
  readonly #namespaces = new Map<string, NamespaceTurns>();
  readonly #inTime = new Pool();
  readonly #slow = new Pool();
  /** Turns that are worked on in time, the oldest first. */
  readonly #begun = new LinkedList<Turn>();

  /** @param isStrict whether the limit holds for slow keys too: each takes a place of the others then */
  constructor(limit: number, isStrict = false) {
    this.limit = limit;
    this.#isStrict = isStrict;
  }

  /** How many keys wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** The key that has been waiting for the longest. */
  get oldest(): string | undefined {
    return this.#waiting.keys().next().value;
  }

  /** Whether a key waits of a namespace that `isMeant`. */
  has(isMeant: (namespace: string) => boolean): boolean {
    return this.#namespaces.entries().some(([namespace, { waiting }]) => waiting.size > 0 && isMeant(namespace));
  }

  /** When a place becomes free, by the monotonic clock, though no work ends; undefined for never. */
  get nextChangeAt(): number | undefined {
    const since = this.#begun.first?.since;
    return since === undefined || this.#isStrict ? undefined : since + SLOW_MS;
  }

  /** Adds a key that neither waits nor is worked on. */
  add(key: string): void {
    const share = this.#shareOf(splitKey(key).namespace ?? "");
    const turn: Turn = { key, share };
    this.#waiting.set(key, turn);
    share.pool.waiting.push(share, turn);
  }

  /** Removes a key that waits. Returns whether it did. */
  delete(key: string): boolean {
    const turn = this.#waiting.get(key);
    if (!turn) return false;
    this.#waiting.delete(key);
    turn.share.pool.waiting.remove(turn.share, turn);
    this.#forget(turn);
    return true;
  }

  /** The next key that may be worked on, if there is one. The caller owes a {@linkcode done} for it. */
  take(now: number): string | undefined {
    this.#setAside(now);
    const pool = [this.#inTime, this.#slow].find((pool) => this.#hasRoom(pool));
    const turn = pool?.waiting.shift();
    if (!turn) return undefined;
    this.#waiting.delete(turn.key);
    this.#working.set(turn.key, turn);
    turn.since = now;
    this.#enter(turn, pool!);
    if (pool === this.#inTime) this.#begun.push(turn);
    return turn.key;
  }

  /** Ends the work on a key. Returns whether it was one that had its turn here. */
  done(key: string): boolean {
    const turn = this.#working.get(key);
    if (!turn) return false;
    const { share } = turn;
    this.#working.delete(key);
    if (turn.among === this.#inTime) this.#begun.remove(turn);
    this.#leave(turn);
    share.pool.waiting.count(share, -1);
    if (share.slow === 0) this.#move(share, this.#inTime);
    this.#forget(turn);
    return true;
  }

  #hasRoom({ waiting, atWork }: Pool): boolean {
    if (waiting.size === 0) return false;
    return atWork < this.limit ||
      (!this.#isStrict && waiting.nextHasNone && this.#working.size < OWN_TURNS * this.limit);
  }

  #setAside(now: number): void {
    if (this.#isStrict) return;
    for (let turn = this.#begun.first; turn && now - turn.since! >= SLOW_MS; turn = this.#begun.first) {
      this.#begun.remove(turn);
      this.#leave(turn);
      this.#enter(turn, this.#slow);
      this.#move(turn.share, this.#slow);
    }
  }

  #enter(turn: Turn, pool: Pool): void {
    turn.among = pool;
    pool.atWork++;
    if (pool === this.#slow) turn.share.slow++;
  }

  #leave({ among, share }: Turn): void {
    among!.atWork--;
    if (among === this.#slow) share.slow--;
  }

  #move(share: NamespaceTurns, pool: Pool): void {
    if (share.pool === pool) return;
    if (share.waiting.size > 0) pool.waiting.take(share, share.pool.waiting);
    share.pool = pool;
  }

  #shareOf(namespace: string): NamespaceTurns {
    let share = this.#namespaces.get(namespace);
    if (!share) this.#namespaces.set(namespace, share = new NamespaceTurns(this.#inTime));
    return share;
  }

  #forget({ key, share }: Turn): void {
    if (share.inFlight + share.waiting.size === 0) this.#namespaces.delete(splitKey(key).namespace ?? "");
  }
}
