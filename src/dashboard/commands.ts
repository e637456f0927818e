import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../base/clock.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { RunView } from "../view/cron_job_view.ts";
import type { KeptLog, KeptRun, NamedRun, NewestAsked } from "../view/kept_runs.ts";
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

/** Of the remembered runs of CronJobs of a name so many of the newest, or those of one API or one Job. */
export type RunsAsked = Readonly<Partial<Record<"api" | "job" | "limit", string>>>;

/** Asked about at once. */
export const MAX_CRON_JOBS = 50;

/** Reads what is remembered of runs, also of those whose Jobs are gone. It refuses clients that may not know. */
export interface KeptHistory {
  runsOf(
    client: KubeClient,
    cronJob: { readonly namespace: string; readonly name: string },
    only: RunsAsked,
  ): Promise<KeptRun[]>;
  /**
   * The newest runs of CronJobs, {@linkcode MAX_CRON_JOBS} at most, in their order: ten of each, or all since the last that
   * succeeded; with `only`, so many of those that were due, or started, in a span.
   */
  recentRunsOf(
    client: KubeClient,
    cronJobs: readonly { readonly namespace: string; readonly name: string }[],
    only?: { readonly since: EpochMs; readonly until: EpochMs; readonly limit: number },
  ): Promise<readonly (readonly KeptRun[])[]>;
  /** The newest runs of any CronJob. */
  newestRuns(client: KubeClient, asked: NewestAsked): Promise<NamedRun[]>;
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
