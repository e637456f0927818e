import { ApiError } from "../../kube/api_error.ts";
import { makeKey } from "../../kube/object.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { KeptLog, KeptRun, NamedRun, NewestAsked } from "../../view/kept_runs.ts";
import type { Watched } from "../../view/watched.ts";
import { linesOf } from "../../kube/lines_of.ts";
import type { RunsAsked } from "../../dashboard/commands.ts";

/** A server that remembers runs. */
export interface HistoryServer {
  readonly client: KubeClient;
  /** Returns what its refusals mean to a user; absent where a refusal means that there is nothing. */
  readonly refusal?: (error: unknown) => Error;
}

/** Returns what a server remembers of the runs of CronJobs of a name; nothing where there is no such server. */
export async function keptRunsOf(
  server: HistoryServer | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  only: RunsAsked = {},
): Promise<KeptRun[]> {
  const answer = server && await answerOf<{ runs: KeptRun[] }>(server, "runs", given({ namespace, name, ...only }));
  return answer?.runs ?? [];
}

/** Returns the newest runs of any CronJob that a server remembers; none where there is no such server. */
export async function newestRunsOf(server: HistoryServer | undefined, asked: NewestAsked): Promise<NamedRun[]> {
  const answer = server && await answerOf<{ runs: NamedRun[] }>(server, "newest", given(asked));
  return answer?.runs ?? [];
}

/** Returns when a server watched runs; undefined where it remembers all, or there is none. */
export async function watchedBy(server: HistoryServer | undefined): Promise<Watched | undefined> {
  // A `standalone` sees all.
  if (server?.refusal === undefined) return undefined;
  const answer = await answerOf<Partial<Watched>>(server, "watched", {});
  return answer?.gaps && { since: answer.since, gaps: answer.gaps };
}

/** Returns since when a `standalone`, which sees all runs, keeps them; undefined where it does not say. */
export function keptSince(client: KubeClient): Promise<Watched | undefined> {
  return answerOf({ client }, "watched", {});
}

/** Returns the newest runs that a `standalone` remembers of CronJobs, in their order; none where it keeps none. */
export async function recentRunsOf(
  client: KubeClient,
  cronJobs: readonly { readonly namespace: string; readonly name: string }[],
  only?: { readonly since: EpochMs; readonly until: EpochMs; readonly limit: number },
): Promise<readonly (readonly KeptRun[])[]> {
  const keys = cronJobs.map(({ namespace, name }) => ["cronjob", makeKey(namespace, name)])
    .concat(Object.entries(only ?? {}).map(([name, value]) => [name, String(value)]));
  const answer = await answerOf<{ recent: KeptRun[][] }>({ client }, "recent", keys);
  return answer?.recent ?? [];
}

function given(asked: Readonly<Record<string, string | undefined>>): [name: string, value: string][] {
  return Object.entries(asked).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]);
}

/** Undefined where the server keeps none, or not for this user. */
async function answerOf<T>(
  { client, refusal }: HistoryServer,
  page: string,
  query: ConstructorParameters<typeof URLSearchParams>[0],
): Promise<T | undefined> {
  try {
    return await (await client.raw(`/history/${page}?${new URLSearchParams(query)}`)).json();
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
    readonly tail?: number;
    readonly maxCharacters?: number;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<string> {
  const query = new URLSearchParams({ file });
  if (tail !== undefined) query.set("tailLines", String(tail));
  yield* linesOf(await client.raw(`/history/log?${query}`, { signal }), { maxCharacters });
}
