import type { CronJobName } from "../../cronjob/observer.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJobView, RunView } from "../cron_job_view.ts";

/** The past or future fate of a scheduled time. */
export type VerdictKind =
  | "Succeeded"
  | "Failed"
  | "Running"
  | "Pending"
  /** It was started, and no record says how it ended. */
  | "Started"
  | "Skipped"
  | "Waiting"
  | "Missed"
  | "NotStarted"
  | "Overdue"
  | "NotScheduled"
  | "Excluded"
  | "NotFollowed"
  | "Unknown"
  | "WillRun"
  | "WillNotRun";

export interface Verdict {
  readonly kind: VerdictKind;
  /** Completes the sentence that begins with the CronJob's name. */
  readonly message: string;
  readonly why: string | undefined;
}

/** One thing that was looked at: it was in order, it was not, it does not apply, or it cannot be known. */
export interface Check {
  readonly result: "ok" | "FAIL" | "-" | "?";
  readonly message: string;
}

/** Why a CronJob ran at a time, or did not. */
export interface Explanation
  extends
    CronJobName,
    Pick<CronJobView, "zone" | "state" | "lastSuccess" | "actions" | "nextRun" | "runner" | "notes"> {
  /** Undefined where no time was found to explain. */
  readonly scheduledTime: EpochMs | undefined;
  readonly run: RunView | undefined;
  readonly verdict: Verdict;
  readonly checks: readonly Check[];
  /** Of the runs that are known. */
  readonly sinceSuccess: { readonly failed: number; readonly skipped: number; readonly missed: number };
  /** The last lines that the failed run wrote. */
  readonly lastLines: readonly string[];
}

const NOT_BAD: readonly VerdictKind[] = ["Succeeded", "Running", "WillRun", "Started", "Unknown", "Waiting"];

/** Returns whether it surely failed, or did not run, or will not. */
export function isBad({ kind }: Verdict): boolean {
  return !NOT_BAD.includes(kind);
}
