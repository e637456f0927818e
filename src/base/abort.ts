/** Resolves once `signal` is aborted; at once if it is already. Never rejects. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}

/** Calls `listener` once when `signal` is aborted; at once if it is already. Disposing of the result takes it off. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): Disposable {
  if (signal?.aborted) listener();
  else signal?.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", listener) };
}

/** A stage of longer work: it is aborted with `outer`, by itself, and at the latest when it is disposed of. */
export class Stage extends AbortController implements Disposable {
  readonly #listening: Disposable;

  constructor(outer: AbortSignal | undefined) {
    super();
    this.#listening = onAbort(outer, () => this.abort(outer!.reason));
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    this.abort();
  }
}

/** Returns whether all became ready before `signal` was aborted. */
export async function readyOrAborted(
  parts: readonly { ready(): Promise<void> }[],
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) return false;
  return await unlessAborted(Promise.all(parts.map((part) => part.ready())), signal) !== undefined;
}

/** Returns the result of `work`; undefined once `signal` is aborted, without waiting for the work any longer. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  using stage = new Stage(signal);
  return await Promise.race([work, aborted(stage.signal).then(() => undefined)]);
}
