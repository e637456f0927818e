import type { EpochMs } from "../schedule/epoch_ms.ts";
import type { CronJobView, RunView, RunViewOutcome } from "../view/cron_job_view.ts";

// What goes between the server and the page, as JSON. Instants are milliseconds since 1970; what is not known is absent.

/** `GET /api/session`. Where nobody is logged in, the same without `user`, and code 401. */
export interface Session {
  /** How one logs in: by a code of a link that the program prints, or by a bearer token of the cluster. */
  readonly login: "code" | "token";
  readonly isLoggedIn: boolean;
  /** Whom the API server takes this person for; absent where it does not say. */
  readonly user?: string;
  /** Whether the page is only to look at. */
  readonly isReadOnly: boolean;
  /** Where the API server is. */
  readonly server: string;
  /** That are looked at; none: all. */
  readonly namespaces: readonly string[];
  readonly version: string;
}

/**
 * A line of `GET /api/rows`, which goes on until the page closes it: `start`, then `rows` with all that there is, worst
 * first, then `ready`; from then on `rows` and `gone` as things change, and `beat` where nothing does.
 */
export type RowsMessage =
  | { readonly kind: "start"; readonly now: EpochMs; readonly total: number }
  | { readonly kind: "rows"; readonly now: EpochMs; readonly rows: readonly Row[] }
  | { readonly kind: "gone"; readonly ids: readonly string[] }
  | { readonly kind: "ready"; readonly now: EpochMs }
  | { readonly kind: "beat"; readonly now: EpochMs }
  /** What keeps rows from being newest. It is over with the next message of another kind than `beat`. */
  | { readonly kind: "trouble"; readonly reason: TroubleReason; readonly message: string };

/** `Forbidden`: this person may not list it. `Unreachable`: the API server does not answer. */
export type TroubleReason = "Forbidden" | "Unauthorized" | "Unreachable";

/** One CronJob in a list: its view, with runs as short as a picture of them needs. */
export interface Row extends Omit<CronJobView, "lastRuns"> {
  /** Its UID. */
  readonly id: string;
  /** Newest first, ten at most. */
  readonly lastRuns: readonly RowRun[];
}

export interface RowRun {
  /** When it started, or else was to start. */
  readonly at: EpochMs;
  readonly outcome: RunViewOutcome;
  /** How long it took; absent while it lasts, and where it is not known. */
  readonly ms?: number;
  /** Absent for runs of the schedule. */
  readonly trigger?: Exclude<RunView["trigger"], "Schedule">;
  readonly reason?: string;
  readonly job?: string;
}

/** What went wrong with a request: the body of every answer from 400 on. */
export interface Failure {
  /** Kubernetes' word where the API server refused, else the dashboard's own. */
  readonly reason: string;
  readonly message: string;
}
