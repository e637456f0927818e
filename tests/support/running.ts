import type { Runnable } from "../../src/runtime/runnable.ts";

/** Runs parts until it is disposed of. */
export function running(...parts: readonly Pick<Runnable, "run">[]): AsyncDisposable {
  const stop = new AbortController();
  const ended = Promise.all(parts.map((part) => part.run(stop.signal)));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}
