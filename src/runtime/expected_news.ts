import type { StreamHold } from "../kube/stream_hold.ts";
import type { Clock } from "../base/clock.ts";

export interface ExpectedNewsOptions {
  clock: Clock;
  hold?: StreamHold | undefined;
  /** Called when a watch has delivered nothing for `silentMs` although it must have news. */
  onSilence: (silentMs: number) => void;
}

/** How soon a watch delivers what the server has answered to a write. Then longer, each time twice, up to the limit. */
const NEWS_MS = { first: 5_000, max: 60_000 };

/** A watch opened anew shows all that the one before it missed: what so many do not show, the server has not got. */
const MAX_SILENCES = 8;

interface Expectation {
  readonly isKnown: () => boolean;
  readonly since: number;
  /** How often bytes had come by then. */
  readonly received: number;
}

/**
 * Notices a watch that is silent although it must have news.
 *
 * Events come in order: it is enough to remember the oldest expectation that is being waited for, and the newest.
 */
export class ExpectedNews {
  readonly #options: ExpectedNewsOptions;
  #received = 0;
  /** {@linkcode #received} when the last event that was news was read. */
  #newsAt = 0;
  #awaited: Expectation | undefined;
  #newest: Expectation | undefined;
  #silences = 0;
  #wait: AbortController | undefined;

  constructor(options: ExpectedNewsOptions) {
    this.#options = options;
  }

  /** Something has happened that the watch has to show. `isKnown` says whether it has. */
  expect(isKnown: () => boolean): void {
    const expectation = { isKnown, since: this.#options.clock.monotonic(), received: this.#received };
    this.#newest = expectation;
    if (this.#awaited) return;
    this.#awaited = expectation;
    this.#watchOver();
  }

  /** Called when bytes came, which may not have been read yet. */
  received(): void {
    this.#received++;
  }

  /** An event was read that is no bookmark. */
  arrived(): void {
    this.#newsAt = this.#received;
    if (this.#silences > 0) this.#wait?.abort();
  }

  /** Whatever was expected will be seen without the watch. */
  forget(): void {
    this.#awaited = this.#newest = undefined;
    this.#silences = 0;
    this.#wait?.abort();
  }

  async #watchOver(): Promise<void> {
    const { clock, onSilence } = this.#options;
    let since = this.#awaited!.since;
    while (this.#awaited) {
      const patienceMs = Math.min(NEWS_MS.max, NEWS_MS.first * 2 ** this.#silences);
      this.#wait = new AbortController();
      await clock.sleep(Math.max(0, since + patienceMs - clock.monotonic()), this.#wait.signal).catch(() => {});
      if (!this.#awaited) return;
      if (this.#isMet(this.#awaited)) {
        this.#silences = 0;
        this.#awaited = this.#isMet(this.#newest!) ? undefined : this.#newest!;
        since = this.#newest!.since;
      } else {
        if (++this.#silences > MAX_SILENCES) return this.forget();
        since = clock.monotonic();
        onSilence(patienceMs);
      }
    }
    this.#newest = undefined;
  }

  #isMet({ isKnown, received }: Expectation): boolean {
    const { hold } = this.#options;
    return this.#newsAt > received || (hold?.isHeld === true && this.#received > received) || isKnown();
  }
}
