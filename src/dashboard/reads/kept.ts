import type { KubeClient } from "../../kube/client.ts";
import { makeKey } from "../../kube/object.ts";
import { type KeptRun, MAX_CRON_JOBS, type RunsAsked } from "../../view/kept_runs.ts";
import type { Watched } from "../../view/watched.ts";
import type { KeptHistory } from "../commands.ts";
import { asRemembered } from "../rows/remembered.ts";
import type { Target } from "../wire.ts";
import { SHOWN_RUNS } from "./detail.ts";
import type { Span, TimelineInput } from "./timeline.ts";

/** Returns the newest runs that are remembered of a CronJob. */
export async function keptRunsOf(
  history: KeptHistory | undefined,
  client: KubeClient,
  target: Target,
): Promise<KeptRun[]> {
  const asked = { cronJobs: [makeKey(target.namespace, target.name)], api: target.apiVersion, limit: SHOWN_RUNS };
  return await asRemembered(history?.runs(client, asked)) ?? [];
}

/** Of one CronJob: to read more at once would hold others up. */
const MAX_KEPT = 4_000;

/** Returns the newest runs of a span that are remembered. */
export async function keptRunsIn(
  history: KeptHistory | undefined,
  client: KubeClient,
  target: Target,
  { from, to }: Span,
): Promise<Omit<TimelineInput, "input">> {
  const asked = { cronJobs: [makeKey(target.namespace, target.name)], since: from, until: to, limit: MAX_KEPT };
  const kept = await asRemembered(history?.runs(client, asked));
  return { kept, isCut: kept?.length === MAX_KEPT };
}

/** Returns when runs were watched; undefined where nothing is remembered. */
export async function watchedBy(history: KeptHistory | undefined, client: KubeClient): Promise<Watched | undefined> {
  return await asRemembered(history?.watched(client));
}

/** Returns the newest runs of many CronJobs in a span. It asks about a few at a time, so that others are answered between. */
export async function runsOfMany(
  history: KeptHistory,
  client: KubeClient,
  { cronJobs, ...span }: RunsAsked & Required<Pick<RunsAsked, "cronJobs">>,
): Promise<KeptRun[]> {
  const found: KeptRun[] = [];
  for (let i = 0; i < cronJobs.length; i += MAX_CRON_JOBS) {
    found.push(...await history.runs(client, { cronJobs: cronJobs.slice(i, i + MAX_CRON_JOBS), ...span }));
  }
  return found;
}
