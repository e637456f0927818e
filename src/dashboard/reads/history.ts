import { type Ask, assertServed, textOf, type Workings } from "../ask.ts";
import type { KeptHistory } from "../commands.ts";
import { RequestError } from "../http/answers.ts";
import { linesAnswer } from "../http/lines_answer.ts";
import { JOBS } from "../../kube/resource.ts";
import { askedIn, namespacesAsked } from "../../view/kept_runs.ts";

/** For commands, which ask a `standalone` by the same words. A CronJob that is named need not be there any more. */
export async function runs({ query, visitor: { client }, workings }: Ask): Promise<Response> {
  const asked = askedIn(query);
  assertServed(namespacesAsked(asked), workings);
  return Response.json({ runs: await historyOf(workings).runs(client, asked) });
}

/** When runs were watched, as far as that is known. */
export async function watched({ visitor: { client }, workings }: Ask): Promise<Response> {
  return Response.json(await historyOf(workings).watched(client) ?? {});
}

/** For other replicas, and anyone else who may list all Jobs that are followed here. */
export async function allRuns(ask: Ask): Promise<Response> {
  const { query, visitor, workings } = ask;
  const { session: { namespaces } } = workings;
  const { peerLines } = historyOf(workings);
  const [since, until] = [Number(textOf(query, "since")), Number(textOf(query, "until"))];
  if (peerLines === undefined || Number.isNaN(since + until)) {
    throw new RequestError(
      400,
      "BadRequest",
      "since and until must be milliseconds since 1970, of a cluster's history",
    );
  }
  if (!await visitor.rights.mayEverywhere({ verb: "list", resource: JOBS }, namespaces)) {
    throw new RequestError(403, "Forbidden", `You may not list Jobs in ${namespaces.join(", ") || "all namespaces"}`);
  }
  return linesAnswer(ask, () => peerLines({ since, until }));
}

/** @throws {RequestError} where nothing is remembered */
function historyOf({ commands: { history } }: Workings): KeptHistory {
  if (history) return history;
  throw new RequestError(404, "NotServed", "No history is kept here: controller --history-dir keeps one");
}
