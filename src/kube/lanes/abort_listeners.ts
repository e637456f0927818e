/** One listener for each signal, however many wait under it: an `EventTarget` searches all its listeners for each. */
export class AbortListeners<W> {
  readonly #onAbort: (waiter: W, reason: unknown) => void;
  readonly #bySignal = new Map<AbortSignal, { waiters: Set<W>; listener: () => void }>();

  constructor(onAbort: (waiter: W, reason: unknown) => void) {
    this.#onAbort = onAbort;
  }

  add(signal: AbortSignal, waiter: W): void {
    const known = this.#bySignal.get(signal);
    if (known) return void known.waiters.add(waiter);
    const waiters = new Set([waiter]);
    const listener = () => {
      this.#bySignal.delete(signal);
      for (const waiter of waiters) this.#onAbort(waiter, signal.reason);
    };
    signal.addEventListener("abort", listener, { once: true });
    this.#bySignal.set(signal, { waiters, listener });
  }

  remove(signal: AbortSignal, waiter: W): void {
    const known = this.#bySignal.get(signal);
    if (!known?.waiters.delete(waiter) || known.waiters.size > 0) return;
    signal.removeEventListener("abort", known.listener);
    this.#bySignal.delete(signal);
  }
}
