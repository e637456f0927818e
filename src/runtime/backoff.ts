/** Each delay is lengthened by a random share of itself, up to this one. */
const JITTER = 0.2;

export interface BackoffOptions {
  /** @default {20} */
  initialMs?: number;
  /** @default {60_000} */
  maxMs?: number;
  /** In [0, 1). @default {Math.random} */
  random?: () => number;
}

/** Delays that double with every failure, up to a limit, and begin anew after a success. */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  #failures = 0;

  constructor(options: BackoffOptions = {}) {
    this.#options = withDefaults(options);
  }

  /** How often in a row it failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Notes a failure. Returns how long to wait, in milliseconds. */
  next(): number {
    return delayMs(this.#failures++, this.#options);
  }

  /** Notes a success. */
  reset(): void {
    this.#failures = 0;
  }
}

/** A {@linkcode Backoff} for each of many keys. Remembers only keys that failed. */
export class KeyedBackoff<Key> {
  readonly #options: Required<BackoffOptions>;
  readonly #failures = new Map<Key, number>();

  constructor(options: BackoffOptions = {}) {
    this.#options = withDefaults(options);
  }

  /** Notes a failure of `key`. Returns how long to wait, in milliseconds. */
  next(key: Key): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return delayMs(failures, this.#options);
  }

  failures(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Notes a success of `key`, or that it is no longer wanted. */
  forget(key: Key): void {
    this.#failures.delete(key);
  }
}

function delayMs(failures: number, { initialMs, maxMs, random }: Required<BackoffOptions>): number {
  return Math.min(maxMs, initialMs * 2 ** failures) * (1 + JITTER * random());
}

function withDefaults(
  { initialMs = 20, maxMs = 60_000, random = Math.random }: BackoffOptions,
): Required<BackoffOptions> {
  return { initialMs, maxMs, random };
}
