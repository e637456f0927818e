import type { Clock } from "../runtime/clock.ts";

/**
 * How close together two signals count as one: Ctrl-C under `deno task` reaches the program twice, once from the
 * terminal and once from the task runner.
 */
const SAME_SIGNAL_MS = 2_000;

/** What the user asked for by SIGINT and SIGTERM. Dispose of it to give the signals back. */
export interface StopSignals extends Disposable {
  /** The first signal: end in good order. */
  readonly stop: AbortSignal;
  /** Another signal more than two seconds later: end at once. */
  readonly hurry: AbortSignal;
}

export function listenForStop(clock: Clock): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let firstAt = 0;
  const listener = () => {
    if (!stop.signal.aborted) {
      firstAt = clock.monotonic();
      stop.abort(new DOMException("Asked to stop", "AbortError"));
    } else if (clock.monotonic() - firstAt > SAME_SIGNAL_MS) {
      hurry.abort(new DOMException("Asked to stop at once", "AbortError"));
    }
  };
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, listener);
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) Deno.removeSignalListener(signal, listener);
    },
  };
}
