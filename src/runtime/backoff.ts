export interface BackoffOptions {
  /** @default {20} */
  initialMs?: number;
  /** @default {60_000} */
  maxMs?: number;
  /** @default {2} */
  factor?: number;
  /** Each delay is lengthened by a random share of itself, up to this one. @default {0.2} */
  jitter?: number;
  /** In [0, 1). @default {Math.random} */
  random?: () => number;
}

/** Delays that grow with every failure, up to a limit, and begin anew after a success. */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  #failures = 0;

  constructor(options: BackoffOptions = {}) {
    this.#options = checked(options);
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
    this.#options = checked(options);
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

function delayMs(failures: number, { initialMs, maxMs, factor, jitter, random }: Required<BackoffOptions>): number {
  return Math.min(maxMs, initialMs * factor ** failures) * (1 + jitter * random());
}

function checked(options: BackoffOptions): Required<BackoffOptions> {
  const { initialMs = 20, maxMs = 60_000, factor = 2, jitter = 0.2, random = Math.random } = options;
  const rules: [string, number, boolean][] = [
    ["'initialMs' must be above 0", initialMs, initialMs > 0],
    ["'maxMs' must be at least 'initialMs'", maxMs, maxMs >= initialMs],
    ["'factor' must be at least 1", factor, factor >= 1],
    ["'jitter' must be between 0 and 1", jitter, jitter >= 0 && jitter <= 1],
  ];
  for (const [rule, value, holds] of rules) {
    if (!holds) throw new RangeError(`Cannot make a backoff: ${rule}, current value is ${value}`);
  }
  return { initialMs, maxMs, factor, jitter, random };
}
