import { cronJobKey } from "../cronjob/api/cron_job.ts";
import type { Breach } from "../cronjob/decision/findings.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import { formatTime } from "../base/epoch_ms.ts";
import { type Advice, advise } from "./advice.ts";
import { type Entry, loadOf, simulateAll, type Simulated, type Times } from "./fleet.ts";
import { CELL_MINUTES, type Load, type Peak } from "./load.ts";
import { type Outcomes, totalOf } from "./outcomes.ts";
import type { Rest, Span } from "./runs.ts";

/**
 * The result of a simulation, as programs read it: times are RFC 3339 in UTC, lengths of time seconds. An absent field does not
 * apply. Later versions add fields, and leave the meaning of these as it is.
 */
export interface SimulationReport {
  readonly from: string;
  /** The first instant that no longer counts. */
  readonly to: string;
  /** The zone by whose wall clock people read it. */
  readonly timeZone: string;
  readonly cronJobs: CronJobCounts;
  readonly durations: DurationsReport;
  readonly load: LoadReport;
  /** The same without the manifests; absent where nothing is compared. */
  readonly before?: LoadReport;
  /** The crowds in the busiest minute that can be avoided. */
  readonly advice: readonly Advice[];
  readonly limits: readonly LimitReport[];
  /** Sorted by `namespace/name`. */
  readonly objects: readonly CronJobReport[];
}

export interface CronJobCounts {
  readonly total: number;
  /** Compared with the cluster; absent where nothing is compared. */
  readonly new?: number | undefined;
  readonly changed?: number | undefined;
  /** How many start nothing: they are suspended, paused, or cannot be followed. */
  readonly resting: number;
}

export interface DurationsReport {
  /** The percentile of the measured durations; `assumed` where one duration was given for all. */
  readonly by: "p50" | "p95" | "assumed";
  readonly measured: number;
  readonly assumed: number;
  /** The duration of runs without a measured one. */
  readonly assumedSeconds: number;
}

/** How long runs are to last. */
export interface Durations {
  readonly by: DurationsReport["by"];
  /** The duration of runs without a measured one. */
  readonly assumedMs: number;
}

export interface LoadReport extends Omit<Outcomes, "latestSeconds"> {
  readonly peakStarts: { readonly count: number; readonly minute: string };
  readonly peakActive: { readonly count: number; readonly at: string };
  readonly peakCpu: { readonly cores: number; readonly at: string };
  readonly peakMemory: { readonly bytes: number; readonly at: string };
  readonly cells: {
    readonly minutes: number;
    /** When the first one begins. */
    readonly from: string;
    /** Starts in the busiest minute of each. */
    readonly starts: readonly number[];
    /** The most runs that are active at once in each. */
    readonly active: readonly number[];
  };
}

export interface LimitReport {
  readonly of: "starts" | "active";
  readonly limit: number;
  readonly reached: number;
  readonly exceeded: boolean;
}

export interface CronJobReport extends CronJobName, Outcomes {
  readonly schedule: string;
  /** Compared with the cluster; absent where nothing is compared. */
  readonly change?: Entry["change"];
  readonly durationSeconds: number;
  readonly durationIsMeasured: boolean;
  readonly concurrencyPolicy: string;
  /** How often expectations are not met, by kind; and the first time. Absent where all are met. */
  readonly unmet?: Readonly<Partial<Record<Breach["kind"], number>>>;
  readonly firstUnmet?: string;
  /** Why nothing starts at the beginning. */
  readonly rest?: Rest;
}

export interface ReportOptions {
  readonly timeZone: string;
  readonly durations: Durations;
  /** Whether manifests are compared with a cluster. */
  readonly compares: boolean;
  readonly maxStarts?: number | undefined;
  readonly maxActive?: number | undefined;
}

/** Returns what CronJobs do in the span: runs, load and limits, beside those of before where a cluster is compared. */
export async function reportOn(
  times: Times,
  entries: readonly Entry[],
  options: ReportOptions,
): Promise<SimulationReport> {
  const { span } = times;
  const simulated = await simulateAll(entries.map(({ after }) => after), times);
  const load = loadOf(simulated, span);
  const changes = new Map(entries.map(({ after, change }) => [after, change]));
  const unchanged = simulated.filter(({ member }) => changes.get(member) === "Unchanged");
  const changed = entries.flatMap(({ before, change }) => before && change === "Changed" ? [before] : []);
  const before = options.compares ? [...unchanged, ...await simulateAll(changed, times)] : undefined;
  return {
    from: formatTime(span.from),
    to: formatTime(span.to),
    timeZone: options.timeZone,
    cronJobs: countsOf(simulated, options.compares ? entries : undefined),
    durations: durationsOf(simulated, options.durations),
    load: loadReport(load, simulated),
    ...(before && { before: loadReport(loadOf(before, span), before) }),
    advice: await advise(times, simulated, load),
    limits: limitsOf(load, options),
    objects: simulated.toSorted((a, b) => nameOf(a) < nameOf(b) ? -1 : 1)
      .map((one) => cronJobReport(one, span, options.compares ? changes.get(one.member) : undefined)),
  };
}

function nameOf({ member: { cronJob } }: Simulated): string {
  return `${cronJobKey(cronJob)} ${cronJob.flavour.apiVersion}`;
}

function countsOf(simulated: readonly Simulated[], entries: readonly Entry[] | undefined): CronJobCounts {
  const of = (wanted: Entry["change"]) => entries?.filter(({ change }) => change === wanted).length;
  return {
    total: simulated.length,
    ...(entries && { new: of("New"), changed: of("Changed") }),
    resting: simulated.filter(({ runs, outcomes }) => runs.rest !== undefined && outcomes.runs === 0).length,
  };
}

function durationsOf(simulated: readonly Simulated[], { by, assumedMs }: Durations): DurationsReport {
  const measured = simulated.filter(({ member }) => member.isMeasured).length;
  return { by, measured, assumed: simulated.length - measured, assumedSeconds: assumedMs / 1_000 };
}

function loadReport(load: Load, simulated: readonly Simulated[]): LoadReport {
  const { from, starts, active } = load.cells;
  const at = ({ at }: Peak) => formatTime(at);
  return {
    ...totalOf(simulated.map(({ outcomes }) => outcomes)),
    peakStarts: { count: load.peakStarts.value, minute: at(load.peakStarts) },
    peakActive: { count: load.peakActive.value, at: at(load.peakActive) },
    peakCpu: { cores: load.peakCpuMillis.value / 1_000, at: at(load.peakCpuMillis) },
    peakMemory: { bytes: load.peakMemoryBytes.value, at: at(load.peakMemoryBytes) },
    cells: { minutes: CELL_MINUTES, from: formatTime(from), starts, active },
  };
}

function limitsOf(load: Load, { maxStarts, maxActive }: ReportOptions): LimitReport[] {
  const judge = (of: LimitReport["of"], limit: number | undefined, { value: reached }: Peak) =>
    limit === undefined ? [] : [{ of, limit, reached, exceeded: reached > limit }];
  return [...judge("starts", maxStarts, load.peakStarts), ...judge("active", maxActive, load.peakActive)];
}

function cronJobReport(
  { member, runs: { rest, breaches }, outcomes }: Simulated,
  span: Span,
  change: Entry["change"] | undefined,
): CronJobReport {
  const { cronJob, durationMs, isMeasured } = member;
  const { namespace = "" } = cronJob.metadata;
  return {
    apiVersion: cronJob.flavour.apiVersion,
    namespace,
    name: cronJob.metadata.name,
    schedule: cronJob.settings.schedule,
    ...(change && { change }),
    durationSeconds: durationMs / 1_000,
    durationIsMeasured: isMeasured,
    concurrencyPolicy: cronJob.settings.policy,
    ...outcomes,
    ...unmetIn(breaches, span),
    ...(rest && { rest }),
  };
}

function unmetIn(all: readonly Breach[], { from, to }: Span): Pick<CronJobReport, "unmet" | "firstUnmet"> {
  const breaches = all.filter(({ since }) => since >= from && since < to);
  const unmet: Partial<Record<Breach["kind"], number>> = {};
  for (const { kind } of breaches) unmet[kind] = (unmet[kind] ?? 0) + 1;
  return breaches[0] ? { unmet, firstUnmet: breaches[0].message } : {};
}
