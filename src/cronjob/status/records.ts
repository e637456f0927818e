import { formatTime } from "../../base/epoch_ms.ts";
import { NEXT_SCHEDULE_TIME, OBSERVED_SCHEDULES } from "../api/annotations.ts";
import { writeBackfillProgress } from "../api/backfill.ts";
import { annotationsOf, type StatusRecords } from "../api/records.ts";
import { writeInstants } from "../api/schema.ts";
import { OBSERVED_ENTRIES, STATUS_FIELDS } from "../api/status_fields.ts";
import type { Stretch } from "../api/types.ts";
import type { Findings } from "../decision/findings.ts";
import { waitingAfter } from "../decision/line.ts";
import { toRecord } from "../decision/stretches.ts";
import type { Records } from "../plan.ts";
import { lastMissed } from "./run_records.ts";

/** Returns the records of a decision: fields of an open status, and annotations beside a closed one. */
export function recordsOf(findings: Findings): StatusRecords {
  const { input: { cronJob, now }, start, failedJobs, failures, block, manual, backfill } = findings;
  const missed = lastMissed(findings);
  return {
    lastTrigger: manual.kind === "done" || manual.kind === "skip" ? manual.request.id : cronJob.answeredTrigger,
    lastMissedTime: missed === undefined ? undefined : formatTime(missed),
    passedOver: stretchesText(toRecord(start.passedOver, now)),
    waiting: stretchesText(waitingAfter(findings)),
    backfill: backfill.progress && writeBackfillProgress(backfill.progress),
    failedRuns: failedJobs.record,
    failuresInARow: failures && writeInstants(STATUS_FIELDS.failuresInARow, failures),
    recordLost: block?.lost && writeInstants(STATUS_FIELDS.recordLost, block.lost),
  };
}

function stretchesText(stretches: readonly Stretch[]): StatusRecords["passedOver"] {
  return stretches.length === 0 ? undefined : writeInstants(STATUS_FIELDS.passedOver, stretches);
}

/** Returns what a closed status has no room for, as annotations; undefined where they say it already. */
export function annotationsToWrite(findings: Findings): Records["annotations"] {
  const { input: { cronJob, annotateNextRun }, start: { parts }, due: { next } } = findings;
  if (cronJob.flavour.openStatus || cronJob.isBeingDeleted) return undefined;
  const wanted = annotationsOf(recordsOf(findings));
  wanted[OBSERVED_SCHEDULES] = parts.length > 1 || cronJob.observedSchedules.length > 0
    ? JSON.stringify(writeInstants(OBSERVED_ENTRIES, parts))
    : null;
  if (annotateNextRun) wanted[NEXT_SCHEDULE_TIME] = next === undefined ? null : formatTime(next);
  const present = cronJob.metadata.annotations ?? {};
  const changed = Object.entries(wanted).filter(([name, value]) => (present[name] ?? null) !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
