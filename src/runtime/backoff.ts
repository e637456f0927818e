/** The largest share of itself by which a delay is lengthened at random. */
const JITTER = 0.2;

export interface BackoffOptions {
  /** @default {20} */
  readonly initialMs?: number;
  /** @default {60_000} */
  readonly maxMs?: number;
  /** In [0, 1). @default {Math.random} */
  readonly random?: () => number;
}

/**
 * Delays that double with every failure in a row, up to a limit before the random share, and begin anew after a success; for
 * each key by itself. Remembers only keys that failed.
 */
export class Backoff<Key = void> {
  readonly #options: BackoffOptions;
  readonly #failures = new Map<Key, number>();

  constructor(options: BackoffOptions = {}) {
    this.#options = options;
  }

  /** Notes a failure. Returns how long to wait, in milliseconds. */
  next(key: Key): number {
    const { initialMs = 20, maxMs = 60_000, random = Math.random } = this.#options;
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return Math.min(maxMs, initialMs * 2 ** failures) * (1 + JITTER * random());
  }

  /** Returns the number of failures in a row. */
  failures(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Forgets the failures: after a success, or where the key is no longer wanted. */
  reset(key: Key): void {
    this.#failures.delete(key);
  }
}
