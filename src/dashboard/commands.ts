import type { KubeClient } from "../kube/client.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import type { SimulationReport } from "../simulate/report.ts";

/** What the page has in common with commands, which hand it over. */
export interface Commands {
  readonly readTime: ReadTime;
  /** Undefined where it is not to be had: it keeps the program busy for a while. */
  readonly simulate: Simulate | undefined;
}

/** Reads a time as people write it. @throws {Error} saying how it may be written */
export type ReadTime = (
  text: string,
  what: string,
  options: { readonly now: EpochMs; readonly zone: string; readonly towards: "past" | "future" },
) => EpochMs;

/** Says what the CronJobs that a client may read do in the day to come. */
export type Simulate = (client: KubeClient, options: {
  /** None: all. */
  readonly namespaces: readonly string[];
  readonly now: EpochMs;
}) => Promise<SimulationReport>;
