import type { CronJobName } from "../../cronjob/observer.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJobView, RunView } from "../cron_job_view.ts";

/** The past or future fate of a scheduled time. */
export type VerdictKind =
  | "Succeeded"
  | "Failed"
  | "Running"
  | "Pending"
  /** The run was started, and no record says how it ended. */
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

/** One condition for a run: met (`ok`), not met (`FAIL`), not applicable (`-`), or unknown (`?`). */
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
  /** The numbers of known runs since the last success. */
  readonly sinceSuccess: { readonly failed: number; readonly skipped: number; readonly missed: number };
  /** The last lines that the failed run wrote. */
  readonly lastLines: readonly string[];
}

const NOT_BAD: readonly VerdictKind[] = ["Succeeded", "Running", "WillRun", "Started", "Unknown", "Waiting"];

/** Returns whether a run surely failed, or did not take place, or will not. */
export function isBad({ kind }: Verdict): boolean {
  return !NOT_BAD.includes(kind);
}
