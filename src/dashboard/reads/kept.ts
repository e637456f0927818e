import type { KubeClient } from "../../kube/client.ts";
import { type KeptRun, MAX_CRON_JOBS, type RunsAsked } from "../../view/kept_runs.ts";
import type { ViewInput } from "../../view/look.ts";
import type { KeptHistory } from "../commands.ts";
import { asRemembered } from "../rows/remembered.ts";

/**
 * Returns the newest runs of CronJobs, and when they were watched, as far as that is remembered, and can be read. It asks
 * about a few at a time, so that others are answered between.
 */
export async function keptOf(
  history: KeptHistory | undefined,
  client: KubeClient,
  { cronJobs, ...asked }: RunsAsked & Required<Pick<RunsAsked, "cronJobs">>,
): Promise<Pick<ViewInput, "kept" | "watched">> {
  const found: KeptRun[] = [];
  const watched = await asRemembered(history?.watched(client));
  for (let i = 0; i < cronJobs.length; i += MAX_CRON_JOBS) {
    const few = cronJobs.slice(i, i + MAX_CRON_JOBS);
    const runs = await asRemembered(history?.runs(client, { cronJobs: few, ...asked }));
    if (runs === undefined) return { kept: undefined, watched };
    found.push(...runs);
  }
  return { kept: found, watched };
}
