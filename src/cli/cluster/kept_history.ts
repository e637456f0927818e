import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type KeptLog, type KeptRun, queryOf, type RunsAsked } from "../../view/kept_runs.ts";
import type { Watched } from "../../view/watched.ts";
import { linesOf } from "../../kube/lines_of.ts";

/** A server that remembers runs. */
export interface HistoryServer {
  readonly client: KubeClient;
  /** Returns what its refusals mean to a user; absent where a refusal means that there is nothing. */
  readonly refusal?: (error: unknown) => Error;
}

/** Returns the runs that are asked for, as a server remembers them; none where there is no such server. */
export async function keptRuns(server: HistoryServer | undefined, asked: RunsAsked): Promise<KeptRun[]> {
  const answer = server && await answerOf<{ runs: KeptRun[] }>(server, `runs?${queryOf(asked)}`);
  return answer?.runs ?? [];
}

/** Returns when a server watched runs; undefined where it remembers all, or there is none. */
export async function watchedBy(server: HistoryServer | undefined): Promise<Watched | undefined> {
  // A `standalone` sees all.
  if (server?.refusal === undefined) return undefined;
  const answer = await answerOf<Partial<Watched>>(server, "watched");
  return answer?.gaps && { since: answer.since, gaps: answer.gaps };
}

/** Returns since when a `standalone`, which sees all runs, keeps them; undefined where it does not say. */
export function keptSince(client: KubeClient): Promise<Watched | undefined> {
  return answerOf({ client }, "watched");
}

/** Undefined where the server keeps none, or not for this user. */
async function answerOf<T>({ client, refusal }: HistoryServer, asked: string): Promise<T | undefined> {
  try {
    return await (await client.raw(`/history/${asked}`)).json();
  } catch (error) {
    if (refusal) throw refusal(error);
    if (error instanceof ApiError && (error.isNotFound || error.isForbidden)) return undefined;
    throw error;
  }
}

/** The lines of a log that is remembered. */
export async function* keptLogOf(
  client: KubeClient,
  { file }: KeptLog,
  { tail, maxCharacters, signal }: {
    readonly tail?: number | undefined;
    readonly maxCharacters?: number;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<string> {
  const query = new URLSearchParams({ file });
  if (tail !== undefined) query.set("tailLines", String(tail));
  yield* linesOf(await client.raw(`/history/log?${query}`, { signal }), { maxCharacters });
}
