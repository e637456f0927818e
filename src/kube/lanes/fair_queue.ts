import { type Linked, LinkedList } from "./linked_list.ts";

/** The waiters of a namespace in a queue. */
export class Share<W extends Linked<W>> implements Linked<Share<W>> {
  /** To be changed by {@linkcode FairQueue.count} alone. */
  inFlight = 0;
  readonly waiting = new LinkedList<W>();
  previous?: Share<W> | undefined;
  next?: Share<W> | undefined;
}

/**
 * Waiters by namespace. The next to leave is of the namespace that has the fewest in flight; among several of these,
 * of the one that has been there for the longest. Within a namespace it is the oldest.
 *
 * Nothing here looks at more than one namespace: each step costs the same, however much waits.
 */
export class FairQueue<W extends Linked<W>> {
  /** The shares in which something waits, by how many they have in flight. */
  readonly #levels: LinkedList<Share<W>>[] = [];
  /** No level below has anything. */
  #lowest = 0;
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Whether the next to leave is of a namespace that has nothing in flight. */
  get nextHasNone(): boolean {
    return (this.#levels[0]?.size ?? 0) > 0;
  }

  push(share: Share<W>, waiter: W): void {
    share.waiting.push(waiter);
    this.#size++;
    if (share.waiting.size === 1) this.#enter(share);
  }

  /** Takes the next one out. It counts as in flight from now on. */
  shift(): W | undefined {
    if (this.#size === 0) return undefined;
    let share = this.#levels[this.#lowest]?.first;
    while (!share) share = this.#levels[++this.#lowest]?.first;
    this.#leave(share);
    const waiter = share.waiting.shift()!;
    this.#size--;
    share.inFlight++;
    this.#enter(share);
    return waiter;
  }

  /** Takes one out that waits no longer. */
  remove(share: Share<W>, waiter: W): void {
    if (share.waiting.size === 1) this.#leave(share);
    share.waiting.remove(waiter);
    this.#size--;
  }

  /** Changes how many a share has in flight. */
  count(share: Share<W>, change: 1 | -1): void {
    this.#leave(share);
    share.inFlight += change;
    this.#enter(share);
  }

  /** Takes over all that waits in a share from the queue where it has been, in its order. */
  take(share: Share<W>, from: FairQueue<W>): void {
    from.#leave(share);
    from.#size -= share.waiting.size;
    this.#size += share.waiting.size;
    this.#enter(share);
  }

  #enter(share: Share<W>): void {
    if (share.waiting.size === 0) return;
    (this.#levels[share.inFlight] ??= new LinkedList()).push(share);
    this.#lowest = Math.min(this.#lowest, share.inFlight);
  }

  #leave(share: Share<W>): void {
    if (share.waiting.size > 0) this.#levels[share.inFlight]?.remove(share);
  }
}
