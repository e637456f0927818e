import type { Clock } from "../base/clock.ts";

/**
 * Listens for SIGINT, SIGTERM and SIGHUP. Only the first counts: Ctrl-C under `deno task` reaches the program twice, once from the
 * terminal and once from the task runner, and an orderly stop is bounded in time anyway.
 */
export function listenForStop(): { readonly signal: AbortSignal } & Disposable {
  const stop = new AbortController();
  const listener = () => stop.abort(new DOMException("Asked to stop", "AbortError"));
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) Deno.addSignalListener(signal, listener);
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) Deno.removeSignalListener(signal, listener);
    },
  };
}

/** Resolves after so long, or as soon as `stopped` is aborted. */
export async function sleepUnless(stopped: AbortSignal, clock: Pick<Clock, "sleep">, ms: number): Promise<void> {
  await clock.sleep(ms, stopped).catch(() => {/* it was asked to stop */});
}

/** Calls `toggle` at each SIGUSR2. On Windows, which has no such signal, nothing does. */
export function listenForDebug(toggle: () => void): Disposable {
  if (Deno.build.os === "windows") return { [Symbol.dispose]: () => {} };
  Deno.addSignalListener("SIGUSR2", toggle);
  return { [Symbol.dispose]: () => Deno.removeSignalListener("SIGUSR2", toggle) };
}
