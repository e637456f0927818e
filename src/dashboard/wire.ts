import type { EpochMs } from "../base/epoch_ms.ts";
import type { PauseNote } from "../cronjob/api/pause.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import type { SimulationReport } from "../simulate/report.ts";
import type { CronJobView, PlannedRun, RunView, RunViewOutcome } from "../view/cron_job_view.ts";
import type { EventFacts } from "../view/event_facts.ts";
import type { Explanation } from "../view/explain/explanation.ts";
import type { Watched } from "../view/watched.ts";

// The messages between the server and the page, as JSON. Instants are milliseconds since 1970; unknown values are absent.
// `in=NAMESPACE`, once for each, limits a request to these of the served namespaces.

/** `GET /api/session`. Where no visitor is logged in, the same without `user`, and code 401. */
export interface Session {
  /** How one logs in: by a code of a link that the program prints, or by a bearer token of the cluster. */
  readonly login: "code" | "token";
  readonly isLoggedIn: boolean;
  /** Whom the API server takes this person for; absent where it does not say. */
  readonly user?: string | undefined;
  /** Whether the page is only to look at. */
  readonly isReadOnly: boolean;
  /** Where the API server is. */
  readonly server: string;
  /** The namespaces that are looked at; empty: all. */
  readonly namespaces: readonly string[];
  /** The version of the program. A page of another version cannot read its rows. */
  readonly version?: string;
  /** Whether `GET /api/load` is answered. */
  readonly hasLoad: boolean;
}

/**
 * A line of `GET /api/rows`, which goes on until the page closes it: `beat` at once and until all is known, `start`, `rows`
 * with all that there is, worst first, `ready`; from then on `rows` and `gone` as things change, and `beat` where nothing does.
 */
export type RowsMessage =
  | { readonly kind: "start"; readonly now: EpochMs; readonly total: number }
  | { readonly kind: "rows"; readonly now: EpochMs; readonly rows: readonly Row[] }
  | { readonly kind: "gone"; readonly ids: readonly string[] }
  /** The lines to read before all rows, such as that no controller leads; in place of those sent before. */
  | { readonly kind: "headlines"; readonly lines: readonly string[] }
  | { readonly kind: "ready"; readonly now: EpochMs }
  | { readonly kind: "beat"; readonly now: EpochMs }
  /** The trouble that keeps rows from being newest. It is over with the next `ready`. */
  | { readonly kind: "trouble"; readonly reason: TroubleReason; readonly message: string };

/** `Forbidden`: this person may not list it. `Unreachable`: the API server does not answer, or not as it should. */
export type TroubleReason = "Forbidden" | "Unreachable";

/** One CronJob in a list: its view, with runs as short as a picture of them needs. */
export interface Row extends Omit<CronJobView, "lastRuns"> {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The author of the pause, where it was paused by name. */
  readonly pause?: Partial<PauseNote> | undefined;
  /** Its UID. */
  readonly id: string;
  /** The back-fill that goes on, which the action `cancel-backfill` ends. */
  readonly backfill?: BackfillOfRow | undefined;
  /** Newest first, ten at most. */
  readonly lastRuns: readonly RowRun[];
}

export interface BackfillOfRow {
  readonly id: string;
  /** How many scheduled times are done with. */
  readonly done: number;
  /** The number of its scheduled times; this field and the next are absent until a controller has begun it. */
  readonly of?: number;
  readonly failed?: number;
  readonly active?: number;
}

export interface RowRun {
  /** When it started, or else was to start. */
  readonly at: EpochMs;
  readonly outcome: RunViewOutcome;
  /** How long it took; absent while it lasts, and where it is not known. */
  readonly ms?: number | undefined;
  /** Absent for runs of the schedule. */
  readonly trigger?: Exclude<RunView["trigger"], "Schedule">;
  readonly reason?: string | undefined;
  readonly job?: string | undefined;
}

/** The failure of a request: the body of every answer from 400 on. */
export interface Failure {
  /** Kubernetes' word where the API server refused, else the dashboard's own. */
  readonly reason: string;
  readonly message: string;
}

/**
 * `GET /api/cronjob?api=batch/v1&namespace=…&name=…`: all about one CronJob; with `from=…&to=…` the runs that were due in
 * that stretch of time, or started, in place of the newest.
 */
export interface Detail {
  /** The facts of its spec, in the order in which they are to be read. */
  readonly facts: readonly Fact[];
  /** Newest first. */
  readonly runs: readonly DetailRun[];
  /** The runs of that stretch that the list leaves out; absent where it has all. */
  readonly runsNote?: string;
  /** When runs were watched, with the gaps that touch that stretch; absent where nothing is remembered. */
  readonly watched?: Watched | undefined;
  readonly nextRuns: readonly NextTime[];
  /** About it and its Jobs, warnings before others, newest first; absent where they may not be read. */
  readonly events?: readonly DetailEvent[] | undefined;
  /** The object, as `kubectl get -o yaml` prints it. */
  readonly yaml: string;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface DetailRun extends RunView {
  readonly ms?: number | undefined;
  /** Why it did not succeed, in a short line: `exit 1`, as `history` says it, or why it has no Job. */
  readonly why?: string | undefined;
}

export type NextTime =
  | PlannedRun & {
    /** A note on it, such as a change of the clocks. */
    readonly note?: string | undefined;
  }
  /** A change of the clocks, and how many runs it skips. */
  | { readonly skippedAt: EpochMs; readonly note: string };

export interface DetailEvent extends Pick<EventFacts, "isWarning" | "reason" | "message" | "count" | "lastAt"> {
  /** `CronJob` or `Job`, and the name. */
  readonly about: string;
}

/**
 * A line of `GET /api/logs?namespace=…&name=…&job=…`: what all containers of all Pods of a Job wrote; it goes on until the Job has
 * ended. With `tail=N` only so many of the last lines of each container.
 */
export type LogMessage =
  | {
    readonly kind: "line";
    readonly pod: string;
    readonly container: string;
    /** The time before it in the log of its container, by which it is known again; absent where it has none. */
    readonly at?: string;
    readonly text: string;
    /** Whether the line goes on after `text`. */
    readonly isCut?: boolean;
  }
  /** Says after a while without another message that all is well. */
  | { readonly kind: "beat" }
  /** Why nothing is written yet. */
  | { readonly kind: "waits"; readonly message: string }
  /** Why a container, or at the end all, cannot be read; final where asking again does not help. */
  | { readonly kind: "trouble"; readonly message: string; readonly isFinal?: boolean }
  /** The run has ended, and this was all of it; without Pods, all that was kept of it. */
  | { readonly kind: "end"; readonly isWithoutPods?: true };

/** The last lines that the page shows. It is sent one more of each container, by which it knows that there are earlier lines. */
export const SHOWN_LINES = 5_000;

/** `GET /api/timeline?from=…&to=…&id=…&id=…`: what rows don't say of a stretch of time. */
export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly clockChanges: readonly ClockChange[];
}

export interface TimelineRow {
  readonly id: string;
  /** The known runs of that stretch, newest first. */
  readonly runs: readonly RowRun[];
  /** The instant before which runs may be missing; absent where all are known. */
  readonly knownSince?: EpochMs | undefined;
  /** The times without a history, in which runs may be missing, oldest first. */
  readonly gaps: readonly (readonly [from: EpochMs, to: EpochMs])[];
  /** When runs to come start, oldest first. */
  readonly planned: readonly EpochMs[];
  /** Whether more runs are to come than `planned` has. */
  readonly hasMore: boolean;
  /** The stretches whose scheduled times passed without a start, while no run was active. */
  readonly passedOver: readonly (readonly [from: EpochMs, to: EpochMs])[];
}

/**
 * `GET /api/calendar?api=…&namespace=…&name=…&from=…&to=…`: what became of the runs of CronJobs of a name that were due in a
 * stretch of time, or started.
 */
export interface Calendar extends Pick<TimelineRow, "knownSince" | "gaps" | "planned" | "hasMore"> {
  /** Newest first. */
  readonly runs: readonly (readonly [at: EpochMs, outcome: RunViewOutcome])[];
  /** The instant up to which there may be more runs, to be asked for as the next `to`; absent where these are all. */
  readonly cutAt?: EpochMs | undefined;
}

export interface ClockChange {
  readonly at: EpochMs;
  readonly zone: string;
  /** How far the clock is set: 60 in spring, -60 in autumn. */
  readonly minutes: number;
}

/** `GET /api/explain?api=…&namespace=…&name=…`, with `at=TIME` or `job=NAME` where not the last time is meant. */
export type Explained = Explanation;

/** `GET /api/run?api=…&namespace=…&name=…&job=JOB&trigger=ID`: what has come of a run that the controller was asked for. */
export type AskedRunAnswer =
  | { readonly became: "started"; readonly job: string }
  | { readonly became: "skipped"; readonly message: string }
  /** No controller has answered yet. */
  | { readonly became: "waits" };

/** `GET /api/load`: the day to come, as `simulate -o json` prints it. Code 404 where it is not served. */
export type LoadOfDay = SimulationReport;

/** The actions, each a button: `POST /api/actions/NAME`. */
export type ActionName = "run" | "pause" | "resume" | "delete-job" | "backfill" | "cancel-backfill";

/** `GET /api/rights?namespace=…`: what this person may do there. What may not be done has no button. */
export interface RightsAnswer {
  /** To CronJobs of each API. */
  readonly actions: Readonly<Record<string, readonly ActionName[]>>;
  readonly mayReadLogs: boolean;
}

/** Names a CronJob. */
export type Target = CronJobName;

/** The answer of every action: what became of each target, in their order. */
export interface ActionAnswer {
  readonly results: readonly ActionResult[];
}

export interface PreviewSlot {
  readonly scheduledTime: EpochMs;
  /** `wait`: the schedule may still start it by itself. */
  readonly will: "start" | "wait" | "skip";
  /** Its Job, or why it is skipped. */
  readonly detail: string;
}

export interface ActionResult {
  readonly target: Target;
  /** Of these `done` changed something; `unchanged` is as it was asked for, and `left` that of another user. */
  readonly result: "done" | "unchanged" | "left" | "failed";
  /** The outcome, or why there is none, in a sentence. */
  readonly message: string;
  /** The Job that it starts, where that is known. */
  readonly job?: string | undefined;
  /** Of a run that the controller was asked for: `GET /api/run` says what has come of it. */
  readonly trigger?: string;
  /** Of a run that was not asked for: active Jobs for which the policy would skip it, or let it wait; the oldest first. */
  readonly heldBy?: readonly { readonly job: string }[];
  /** Of a preview of a back-fill: what becomes of each scheduled time. */
  readonly slots?: readonly PreviewSlot[];
  /** The action on the same target that undoes it, where there is one. */
  readonly undo?: ActionName;
}
