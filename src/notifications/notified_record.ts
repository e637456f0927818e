import { NOTIFIED } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { readJson } from "../cronjob/api/stored_cron_job.ts";
import { type EpochMs, formatTime, parseTime } from "../base/epoch_ms.ts";

/** The reports of a CronJob's runs, as its annotation keeps them: each failure is reported once, whatever dies meanwhile. */
export interface NotifiedRecord {
  /** Runs that failed in a row up to the last failure that was reported; 0 once their end was reported. */
  readonly inARow: number;
  /** When the last failure was reported. */
  readonly toldAt: EpochMs;
  /** The failures that were reported, the newest first: {@linkcode RECORDED_RUNS} at most. */
  readonly failures: readonly ReportedFailure[];
}

export interface ReportedFailure {
  /** Of the Job. */
  readonly uid: string;
  readonly endTime: EpochMs;
}

/** How many reported failures are recorded; what failed before all of these counts as reported. */
export const RECORDED_RUNS = 10;

interface RecordText {
  /** Of the CronJob. */
  readonly uid?: unknown;
  readonly inARow?: unknown;
  readonly toldAt?: string;
  readonly failures?: readonly ({ readonly uid?: unknown; readonly endTime?: string } | null)[];
}

/**
 * Reads the annotation, which anyone may have written who may edit the CronJob; a text that is no record counts as absent, and so
 * does that of another CronJob, which a copy has.
 */
export function readNotified(
  { metadata: { uid: cronJobUid, annotations } }: Pick<CronJob, "metadata">,
): NotifiedRecord | undefined {
  const text = readJson(annotations?.[NOTIFIED]) as RecordText | null | undefined;
  const toldAt = parseTime(text?.toldAt);
  if (toldAt === undefined || text?.uid !== cronJobUid) return undefined;
  const failures = Array.isArray(text?.failures) ? text.failures : [];
  return {
    inARow: typeof text?.inARow === "number" ? text.inARow : 0,
    toldAt,
    failures: failures.flatMap((failure) => {
      const uid = failure?.uid, endTime = parseTime(failure?.endTime);
      return typeof uid !== "string" || endTime === undefined ? [] : [{ uid, endTime }];
    }).slice(0, RECORDED_RUNS),
  };
}

/** Returns the text of the annotation of the CronJob of that UID. */
export function writeNotified(uid: string, { inARow, toldAt, failures }: NotifiedRecord): string {
  return JSON.stringify({
    uid,
    inARow,
    toldAt: formatTime(toldAt),
    failures: failures.map(({ uid, endTime }) => ({ uid, endTime: formatTime(endTime) })),
  });
}

/** Returns whether a failure was reported: it is recorded, or older than all of so many that are. */
export function isReported(record: NotifiedRecord | undefined, { uid, endTime }: ReportedFailure): boolean {
  if (!record) return false;
  if (record.failures.some((reported) => reported.uid === uid)) return true;
  const oldest = record.failures.at(-1);
  return record.failures.length >= RECORDED_RUNS && endTime <= oldest!.endTime;
}
