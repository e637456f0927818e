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
  /** When it watched runs; undefined where it remembers all. */
  readonly watched?: Promise<Watched | undefined>;
}

/** Returns a server that is asked at once when it watched runs: every command wants to know, and what is asked later finds a connection. */
export function historyServer(client: KubeClient, refusal: (error: unknown) => Error): HistoryServer {
  const watched = answerOf<Partial<Watched>>({ client, refusal }, "watched").then((answer) =>
    answer?.gaps && { since: answer.since, gaps: answer.gaps }
  );
  watched.catch(() => {/* for the command that awaits it */});
  return { client, refusal, watched };
}

/** Returns the runs that are asked for, as a server remembers them; none where there is no such server. */
export async function keptRuns(server: HistoryServer | undefined, asked: RunsAsked): Promise<KeptRun[]> {
  const answer = server && await answerOf<{ runs: KeptRun[] }>(server, `runs?${queryOf(asked)}`);
  return answer?.runs ?? [];
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
