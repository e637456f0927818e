import type { Clock } from "../base/clock.ts";
import { TokenBucket } from "../kube/lanes/token_bucket.ts";
import { Recent } from "./recent.ts";

/** The part of an Event that matters here. */
export interface Limited {
  readonly regarding: { readonly metadata: { readonly uid: string } };
  readonly type: "Normal" | "Warning";
  readonly reason: string;
}

/** How many may come at once, and how long until one more may. */
interface FloodLimit {
  readonly burst: number;
  readonly refillMs: number;
  /** Events of one group are limited together. */
  readonly groupOf: (event: Limited) => string;
}

/**
 * Normal Events come with runs. Warnings come for as long as something is wrong, so for them client-go's numbers hold; but
 * for each reason apart, so that what is said all the time hides nothing that is said once.
 */
const FLOOD_LIMITS: Readonly<Record<Limited["type"], FloodLimit>> = {
  Normal: { burst: 100, refillMs: 10_000, groupOf: ({ regarding }) => regarding.metadata.uid },
  Warning: { burst: 25, refillMs: 300_000, groupOf: ({ regarding, reason }) => `${regarding.metadata.uid}\n${reason}` },
};
const REMEMBERED = 4_096;

/** Keeps any one object from causing too many Events: a burst, and then one in so many seconds ({@linkcode FLOOD_LIMITS}). */
export class EventFlood {
  readonly #clock: Clock;
  readonly #groups = new Recent<TokenBucket>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns whether one more may be sent; then it counts as sent. */
  admits(event: Limited): boolean {
    const { burst, refillMs, groupOf } = FLOOD_LIMITS[event.type];
    const key = `${event.type}\n${groupOf(event)}`;
    const bucket = this.#groups.get(key) ?? new TokenBucket({ clock: this.#clock, burst, perSecond: 1_000 / refillMs });
    this.#groups.set(key, bucket);
    return bucket.take();
  }
}
