import { isDeepStrictEqual } from "node:util";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJob } from "../api/cron_job.ts";
import type { Child } from "../api/job.ts";
import { statusWrittenBy } from "../api/status_writes.ts";
import type { Stewardship } from "../api/stewardship.ts";
import { jobNameFor } from "../decision/job_template.ts";

/**
 * For so long after a process began to run a CronJob, what others do may be the last work of who ran it before: a leader, a
 * replica that is being replaced, kube-controller-manager before an adoption.
 */
const GRACE_MS = 60_000;

/** A rival of whom nothing was seen for so long is gone. */
const REMEMBERED_MS = 60 * 60_000;

/** Now, and since when this process has been running CronJobs, on the monotonic clock; undefined where it may not be. */
export type Charge = { readonly now: number; readonly since: number } | undefined;

/**
 * Notices that another controller runs one CronJob beside this process. There are two signs:
 *
 * - The Job of a scheduled time is there, and this process had not begun to create it. Who creates by hand, by
 *   `kubectl create job --from`, makes none of that name.
 * - kube-controller-manager has written the status of a CronJob that is not adopted.
 *
 * ### Guarantees
 * No sign is made by what this process did itself, whatever became of the answers; by a former leader or replica; by an
 * adoption; or by a new leader while this one does not know yet that it is none.
 */
export class Rivals {
  /** The newest scheduled time whose Job this process began to create. */
  #attemptedUntil: EpochMs = -Infinity;
  /** The newest scheduled time whose Job this process knows. */
  #knownUntil: EpochMs = -Infinity;
  #stewardship: Stewardship | undefined;
  #stewardSince = -Infinity;
  /** When kube-controller-manager last wrote the status, as text; null for never. */
  #statusWrite: string | null | undefined;
  #sign: { readonly text: string; readonly at: number } | undefined;

  /** Returns the sign that there is a rival; undefined where nothing shows one. */
  signAt(now: number): string | undefined {
    return this.#sign && now - this.#sign.at < REMEMBERED_MS ? this.#sign.text : undefined;
  }

  noteVersion(cronJob: CronJob, now: number, charge: Charge): void {
    const { stewardship } = cronJob;
    if (!isDeepStrictEqual(stewardship, this.#stewardship)) {
      this.#stewardship = stewardship;
      this.#stewardSince = now;
    }
    if (!cronJob.flavour.adoptable) return;
    const before = this.#statusWrite;
    const writtenAt = this.#statusWrite = statusWrittenBy("kube-controller-manager", cronJob.object) ?? null;
    const isNew = before !== undefined && writtenAt !== null && writtenAt !== before;
    // Of those that are adopted it may still put the status right.
    if (isNew && isNotAdopted(stewardship)) this.#noteSign("kube-controller-manager wrote its status", charge);
  }

  /** The creation of a Job begins. Returns whether it is the first attempt for this time. */
  noteAttempt(scheduledTime: EpochMs): boolean {
    if (scheduledTime <= this.#attemptedUntil) return false;
    this.#attemptedUntil = scheduledTime;
    return true;
  }

  /** These Jobs are there: their creator is no news any more. */
  noteKnown(children: readonly Child[]): void {
    for (const { scheduledTime = -Infinity } of children) {
      if (scheduledTime > this.#knownUntil) this.#knownUntil = scheduledTime;
    }
  }

  /** The cache shows a Job of the CronJob. */
  noteJob(child: Child, cronJob: CronJob, charge: Charge): void {
    const { metadata, scheduledTime } = child;
    const recordedUntil = cronJob.recorded.lastScheduleTime ?? -Infinity;
    const knownUntil = Math.max(this.#knownUntil, this.#attemptedUntil, recordedUntil);
    if (scheduledTime === undefined || scheduledTime <= knownUntil) return;
    this.noteKnown([child]);
    if (metadata.name !== jobNameFor(cronJob, { trigger: "Schedule", scheduledTime })) return;
    this.noteFoundJob(metadata.name, charge);
  }

  /** The first attempt to create this Job found it there, as a Job of the CronJob. */
  noteFoundJob(jobName: string, charge: Charge): void {
    this.#noteSign(`it created job ${jobName}`, charge);
  }

  #noteSign(text: string, charge: Charge): void {
    if (!charge || !this.#stewardship?.keepsStatus || this.#stewardship.closed) return;
    if (charge.now - Math.max(charge.since, this.#stewardSince) < GRACE_MS) return;
    this.#sign = { text, at: charge.now };
  }
}

function isNotAdopted({ isContested, ends }: Stewardship): boolean {
  return isContested === undefined && !ends;
}
