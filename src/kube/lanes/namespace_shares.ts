import type { LimitedLane, Places } from "./places.ts";
import { NamespaceShare, type Waiter } from "./ticket.ts";

/** Slow namespaces of a lane, whose answers are remembered though nothing is in flight. */
const REMEMBERED_NAMESPACES = 1_000;

/** The share of each namespace in each lane, as long as the namespace has requests there, or is slow. */
export class NamespaceShares {
  readonly #byLane = new Map<LimitedLane, Map<string, NamespaceShare>>();
  readonly #inTime: Places<Waiter>;

  /** @param inTime where a namespace gets its places that is not known as slow */
  constructor(inTime: Places<Waiter>) {
    this.#inTime = inTime;
  }

  find(lane: LimitedLane, namespace: string): NamespaceShare | undefined {
    return this.#byLane.get(lane)?.get(namespace);
  }

  of(lane: LimitedLane, namespace: string): NamespaceShare {
    let namespaces = this.#byLane.get(lane);
    if (!namespaces) this.#byLane.set(lane, namespaces = new Map());
    let share = namespaces.get(namespace);
    if (!share) namespaces.set(namespace, share = new NamespaceShare(lane, namespace, this.#inTime));
    return share;
  }

  *all(): Generator<NamespaceShare> {
    for (const namespaces of this.#byLane.values()) yield* namespaces.values();
  }

  /** Only slow namespaces are remembered, and not any number of them. */
  forgetIdle({ lane, namespace, inFlight, waiting, places }: NamespaceShare): void {
    if (inFlight + waiting.size > 0) return;
    const namespaces = this.#byLane.get(lane)!;
    if (places === this.#inTime || namespaces.size > REMEMBERED_NAMESPACES) namespaces.delete(namespace);
  }
}
