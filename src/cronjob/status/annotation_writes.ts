import { formatTime } from "../../base/epoch_ms.ts";
import {
  BACKFILL_PROGRESS,
  FAILED_RUNS,
  FAILURES,
  LAST_MISSED_TIME,
  LAST_TRIGGER,
  NEXT_SCHEDULE_TIME,
  OBSERVED_SCHEDULES,
  PASSED_OVER,
  RECORD_LOST,
  WAITING,
} from "../api/annotations.ts";
import { writeBackfillProgress } from "../api/backfill.ts";
import { writeFailures } from "../api/failure_record.ts";
import { writeObservedSchedules } from "../api/observed_schedules.ts";
import { stretchesText } from "../api/passed_over.ts";
import type { Findings } from "../decision/findings.ts";
import { waitingAfter } from "../decision/line.ts";
import { toRecord } from "../decision/stretches.ts";
import type { Records } from "../plan.ts";
import { lastMissed } from "./run_records.ts";

/** Returns what a closed status has no room for, as annotations; undefined where they say it already. */
export function annotationsToWrite(
  findings: Findings,
): Records["annotations"] {
  const { input, start, failedJobs, failures, block, due, manual, backfill } = findings;
  const { cronJob, annotateNextRun } = input;
  if (cronJob.flavour.openStatus || cronJob.isBeingDeleted) return undefined;
  const missed = lastMissed(findings);
  const wanted: Record<string, string | null> = {
    [PASSED_OVER]: stretchesText(toRecord(start.passedOver, input.now)) ?? null,
    [LAST_MISSED_TIME]: missed === undefined ? null : formatTime(missed),
    [WAITING]: stretchesText(waitingAfter(findings)) ?? null,
    [OBSERVED_SCHEDULES]: start.parts.length > 1 || cronJob.observedSchedules.length > 0
      ? JSON.stringify(writeObservedSchedules(start.parts))
      : null,
    [BACKFILL_PROGRESS]: backfill.progress ? JSON.stringify(writeBackfillProgress(backfill.progress)) : null,
    [FAILED_RUNS]: failedJobs.record ? JSON.stringify(failedJobs.record) : null,
    [FAILURES]: failures ? JSON.stringify(writeFailures(failures)) : null,
    [RECORD_LOST]: block?.lost ? JSON.stringify(block.lost) : null,
  };
  if (manual.kind === "done" || manual.kind === "skip") wanted[LAST_TRIGGER] = manual.request.id;
  if (annotateNextRun) wanted[NEXT_SCHEDULE_TIME] = due.next === undefined ? null : formatTime(due.next);
  const present = cronJob.metadata.annotations ?? {};
  const changed = Object.entries(wanted).filter(([name, value]) => (present[name] ?? null) !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
