import { useEffect, useState } from "preact/hooks";
import type { Target } from "../../wire.ts";
import { read } from "../server.ts";

/** The last answer of the server, and why there is no newer one. */
export interface Answer<T> {
  readonly value?: T;
  /** The path that `value` answers. */
  readonly path?: string;
  readonly error?: Error;
}

/** Asks the server, anew after each change of `path` or `version`; changes within `afterMs` make one request. */
export function useAnswer<T>(path: string, version: unknown, afterMs = 0): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({});
  useEffect(() => {
    const over = new AbortController();
    const ask = () =>
      read<T>(path, over.signal).then(
        (value) => setAnswer({ value, path }),
        (error) => over.signal.aborted || setAnswer((last) => ({ ...last, error })),
      );
    const timer = setTimeout(ask, afterMs);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [path, version]);
  return answer;
}

/** Returns the query that names a CronJob to the server. */
export function queryOf(
  { apiVersion: api, namespace, name }: Target,
  more: Readonly<Record<string, string>> = {},
): URLSearchParams {
  return new URLSearchParams({ api, namespace, name, ...more });
}
