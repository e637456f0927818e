import type { EpochMs } from "../base/epoch_ms.ts";
import type { Clock } from "../base/clock.ts";
import { EventFlood, type Limited } from "./event_flood.ts";
import { Recent } from "./recent.ts";

/** The part of an Event that matters here. */
interface Repeatable extends Limited {
  readonly message: string;
  readonly scheduledTime?: EpochMs;
}

/** The properties that Events counted together share: `key` distinguishes these from all others. */
export interface Correlation extends Pick<Repeatable, "message" | "scheduledTime"> {
  readonly key: string;
}

/** After so many of one kind about one object that differ, the others are counted in one, until none came for `SIMILAR_MS`. */
const SIMILAR_LIMIT = 10;
const SIMILAR_MS = 600_000;

const REMEMBERED = 4_096;
const MAX_MESSAGE_LENGTH = 1_024;

/** Decides which Events are sent, and which of them count as one. */
export class EventCorrelator {
  readonly #clock: Pick<Clock, "now">;
  readonly #flood: EventFlood;
  readonly #similar = new Recent<{ variants: Set<string>; lastAt: EpochMs }>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#flood = new EventFlood(clock);
  }

  /** Returns undefined where its object has caused too many. */
  correlate(event: Repeatable): Correlation | undefined {
    if (!this.#flood.admits(event)) return undefined;
    const { regarding, type, reason, scheduledTime } = event;
    const message = event.message.slice(0, MAX_MESSAGE_LENGTH);
    const group = `${regarding.metadata.uid}\n${type}\n${reason}`;
    const variant = scheduledTime === undefined ? message : `@${scheduledTime}`;
    const single = { key: `${group}\n${variant}`, message, scheduledTime };
    if (scheduledTime !== undefined && type === "Normal") return single;
    if (this.#isSingle(group, variant)) return single;
    return { key: group, message: `(combined from similar events): ${message}`.slice(0, MAX_MESSAGE_LENGTH) };
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
