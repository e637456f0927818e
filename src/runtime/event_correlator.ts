import type { EpochMs } from "../base/epoch_ms.ts";
import type { Clock } from "../base/clock.ts";
import { TokenBucket } from "../kube/lanes/token_bucket.ts";
import { Recent } from "./recent.ts";

/** The part of an Event that matters here. */
interface Repeatable {
  readonly regarding: { readonly metadata: { readonly uid: string } };
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly scheduledTime?: EpochMs | undefined;
}

/** The properties that Events counted together share: `key` distinguishes these from all others. */
export interface Correlation extends Pick<Repeatable, "message" | "scheduledTime"> {
  readonly key: string;
}

/** After so many of one kind about one object that differ, the others are counted in one, until none came for `SIMILAR_MS`. */
const SIMILAR_LIMIT = 10;
const SIMILAR_MS = 600_000;

/** How many may come at once, and how long until one more may. */
interface FloodLimit {
  readonly burst: number;
  readonly refillMs: number;
  /** Events of one group are limited together. */
  readonly groupOf: (event: Repeatable) => string;
}

/**
 * The Events that one object may cause. Normal Events come with runs. Warnings come for as long as something is wrong, so
 * client-go's numbers hold for them; but for each reason apart, so that a constant Warning hides no rare one.
 */
const FLOOD_LIMITS: Readonly<Record<Repeatable["type"], FloodLimit>> = {
  Normal: { burst: 100, refillMs: 10_000, groupOf: ({ regarding }) => regarding.metadata.uid },
  Warning: { burst: 25, refillMs: 300_000, groupOf: ({ regarding, reason }) => `${regarding.metadata.uid}\n${reason}` },
};

const REMEMBERED = 4_096;
const MAX_MESSAGE_LENGTH = 1_024;

/** Decides which Events are sent, and which of them count as one. */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #buckets = new Recent<TokenBucket>(REMEMBERED);
  readonly #similar = new Recent<{ variants: Set<string>; lastAt: EpochMs }>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns undefined where its object has caused too many. */
  correlate(event: Repeatable): Correlation | undefined {
    if (!this.#admits(event)) return undefined;
    const { regarding, type, reason, scheduledTime } = event;
    const message = event.message.slice(0, MAX_MESSAGE_LENGTH);
    const group = `${regarding.metadata.uid}\n${type}\n${reason}`;
    const variant = scheduledTime === undefined ? message : `@${scheduledTime}`;
    const single = { key: `${group}\n${variant}`, message, scheduledTime };
    if (scheduledTime !== undefined && type === "Normal") return single;
    if (this.#isSingle(group, variant)) return single;
    return { key: group, message: `(combined from similar events): ${message}`.slice(0, MAX_MESSAGE_LENGTH) };
  }

  /** Returns whether one more may be sent; then it counts as sent. */
  #admits(event: Repeatable): boolean {
    const { burst, refillMs, groupOf } = FLOOD_LIMITS[event.type];
    const key = `${event.type}\n${groupOf(event)}`;
    const bucket = this.#buckets.get(key) ??
      new TokenBucket({ clock: this.#clock, burst, perSecond: 1_000 / refillMs });
    this.#buckets.set(key, bucket);
    return bucket.take();
  }

  #isSingle(group: string, variant: string): boolean {
    const now = this.#clock.now();
    let similar = this.#similar.get(group);
    if (!similar || now - similar.lastAt > SIMILAR_MS || now < similar.lastAt) {
      similar = { variants: new Set(), lastAt: now };
      this.#similar.set(group, similar);
    }
    similar.lastAt = now;
    if (!similar.variants.has(variant) && similar.variants.size >= SIMILAR_LIMIT) return false;
    similar.variants.add(variant);
    return true;
  }
}
