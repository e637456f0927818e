import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../base/clock.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { RunView } from "../view/cron_job_view.ts";
import type { KeptLog, KeptRun, RunsAsked } from "../view/kept_runs.ts";
import type { LeaseFacts } from "../view/lease_facts.ts";
import type { ViewInput } from "../view/look.ts";
import type { Span, Watched } from "../view/watched.ts";
import type { Controllers } from "../view/runner.ts";
import type { SimulationReport } from "../simulate/report.ts";

/** Functions of commands that the page uses, handed over by the command. */
export interface Commands {
  readonly readTime: ReadTime;
  /** Asks which controllers there are, as far as a client may know. */
  readonly controllers: (client: KubeClient, clock: Clock) => Promise<Controllers>;
  /** Reads what the Lease says of who runs a CronJob; undefined for a Job, which shows by itself that a controller led. */
  readonly leaseFor: (
    client: KubeClient,
    input: ViewInput,
    about: { readonly job: string | undefined; readonly controllers: Controllers },
  ) => Promise<LeaseFacts | undefined>;
  /** Undefined where it is not to be had: it keeps the program busy for a while. */
  readonly simulate: Simulate | undefined;
  /** Reads the last lines that a failed run wrote; none of another run, and none where they are not to be had soon. */
  readonly lastLines: (
    client: KubeClient,
    input: ViewInput,
    run: RunView | undefined,
    clock: Clock,
  ) => Promise<readonly string[]>;
  /** Undefined where nothing is remembered. */
  readonly history: KeptHistory | undefined;
}

/** Reads what is remembered of runs, also of those whose Jobs are gone. It refuses clients that may not know. */
export interface KeptHistory {
  runs(client: KubeClient, asked: RunsAsked): Promise<KeptRun[]>;
  /** The times in which runs were watched, as far as they are kept; undefined where that is not known. */
  watched(client: KubeClient): Promise<Watched | undefined>;
  /** Returns all that is kept of a span, for another replica; absent where there is none. */
  peerLines?(span: Span): AsyncGenerator<string>;
  linesOf(
    client: KubeClient,
    log: KeptLog,
    options: { readonly tail: number; readonly maxCharacters: number; readonly signal: AbortSignal },
  ): AsyncGenerator<string>;
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
  readonly controllers: Controllers;
}) => Promise<SimulationReport>;
