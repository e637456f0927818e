import type { KubeClient } from "../../kube/client.ts";
import type { KeptRun } from "../../view/kept_runs.ts";
import type { Watched } from "../../view/watched.ts";
import { type KeptHistory, MAX_CRON_JOBS } from "../commands.ts";
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
  const only = { api: target.apiVersion, limit: String(SHOWN_RUNS) };
  return await asRemembered(history?.runsOf(client, target, only)) ?? [];
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
  const only = { since: from, until: to, limit: MAX_KEPT };
  const [kept] = await asRemembered(history?.recentRunsOf(client, [target], only)) ?? [];
  return { kept, isCut: kept?.length === MAX_KEPT };
}

/** Returns when runs were watched; undefined where nothing is remembered. */
export async function watchedBy(history: KeptHistory | undefined, client: KubeClient): Promise<Watched | undefined> {
  return await asRemembered(history?.watched(client));
}

/** Returns the same of many in a span. It asks about the next few at a time, so that others are answered between. */
export async function recentRunsOf(
  history: KeptHistory,
  client: KubeClient,
  names: Parameters<KeptHistory["recentRunsOf"]>[1],
  span: Parameters<KeptHistory["recentRunsOf"]>[2],
): Promise<readonly (readonly KeptRun[])[]> {
  const found: (readonly KeptRun[])[] = [];
  for (let i = 0; i < names.length; i += MAX_CRON_JOBS) {
    found.push(...await history.recentRunsOf(client, names.slice(i, i + MAX_CRON_JOBS), span));
  }
  return found;
}
