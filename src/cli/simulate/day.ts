import type { KubeClient } from "../../kube/client.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { Fleet } from "../../simulate/fleet.ts";
import { reportOn, type SimulationReport } from "../../simulate/report.ts";
import type { Controllers } from "../../view/runner.ts";
import { commonZone } from "../shared/common_zone.ts";
import { readDurations } from "./durations.ts";
import { entriesOf } from "./entries.ts";
import { readCluster } from "./gather.ts";
import { beginOf, readSpan } from "./span.ts";

/** Simulates the CronJobs of a cluster for the 24 hours to come, as `simulate --from now` does. */
export async function simulateDay(
  client: KubeClient,
  { namespaces, ...options }: {
    readonly namespaces: readonly string[];
    readonly now: EpochMs;
    readonly controllers: Controllers;
  },
): Promise<SimulationReport> {
  const { now } = options;
  const wanted = namespaces.length === 0 ? [undefined] : namespaces;
  const found = (await Promise.all(wanted.map((namespace) => readCluster(client, namespace, options)))).flat();
  const timeZone = commonZone(found.map(({ cronJob }) => cronJob));
  const span = readSpan({ from: "0s" }, now, timeZone);
  const durations = readDurations("history");
  const { begin, isNow } = beginOf(span, now);
  const entries = entriesOf(found, [], { durations, begin, isNow, controllers: options.controllers });
  return reportOn(new Fleet({ begin, span }), entries, {
    timeZone,
    durationsBy: durations.by,
    assumedMs: durations.assumedMs,
    compares: false,
    lists: false,
  });
}
