import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Entry } from "../../simulate/fleet.ts";
import { reportOn, type SimulationReport } from "../../simulate/report.ts";
import { eachNamespace } from "../../kube/namespaces.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controllers } from "../../view/runner.ts";
import { commonZone } from "../shared/common_zone.ts";
import { readDurations } from "./durations.ts";
import { entriesOf } from "./entries.ts";
import { type Found, readCluster } from "./gather.ts";
import type { SimulateOptions } from "./options.ts";
import { beginOf, readSpan, type SpanFlags } from "./span.ts";

/** The time zone is by default that of most of the CronJobs. */
interface SimulationOptions
  extends SpanFlags, Pick<SimulateOptions, "maxStarts" | "maxActive" | "durations" | "timeZone"> {
  readonly now: EpochMs;
  readonly controllers: Controllers;
}

/** Simulates the CronJobs of a cluster, once manifests are applied; `found` is undefined where no cluster is read. */
export async function simulate(
  found: readonly Found[] | undefined,
  manifests: readonly CronJob[],
  options: SimulationOptions,
): Promise<{ readonly entries: readonly Entry[]; readonly report: SimulationReport }> {
  const { now, controllers, durations } = options;
  const live = found ?? [];
  const timeZone = options.timeZone ?? commonZone([...live.map(({ cronJob }) => cronJob), ...manifests]);
  const span = readSpan(options, now, timeZone);
  const { begin, isNow } = beginOf(span, now);
  const entries = entriesOf(live, manifests, { durations, begin, isNow, controllers });
  const compares = found !== undefined && manifests.length > 0;
  return { entries, report: await reportOn({ begin, span }, entries, { ...options, timeZone, compares }) };
}

/** Simulates the CronJobs of a cluster for the 24 hours to come, as `simulate --from now` does. */
export async function simulateDay(
  client: KubeClient,
  { namespaces, ...options }: Pick<SimulationOptions, "now" | "controllers"> & {
    readonly namespaces: readonly string[];
  },
): Promise<SimulationReport> {
  const reads = eachNamespace(namespaces).map((namespace) => readCluster(client, namespace, options));
  const found = (await Promise.all(reads)).flat();
  return (await simulate(found, [], { ...options, from: "0s", durations: readDurations("history") })).report;
}
