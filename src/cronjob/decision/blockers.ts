import { RESUME, SUSPEND } from "../api/annotations.ts";
import { MAX_JOB_NAME_LENGTH } from "../api/job_name.ts";
import { inWords, isPaused, readPauseNote } from "../api/pause.ts";
import type { ConditionReason, WarningReason } from "../api/reasons.ts";
import type { FailureRecord } from "../api/types.ts";
import type { Block } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import { jobNameFor } from "./job_template.ts";

type Blocker = (input: DecisionInput, failures: FailureRecord | undefined) => Block | undefined;

/** In order of precedence: the first blocker that objects gives the reason. */
const BLOCKERS: readonly Blocker[] = [
  // Its Jobs are about to be deleted with it.
  beingDeleted,
  // Another controller runs it, or soon will.
  notOurs,
  // No record says which runs took place.
  recordLost,
  // The API server would refuse every Job.
  nameTooLong,
  unknownTimeZone,
  // Before the schedule: a CronJob whose schedule is broken can be suspended.
  suspended,
  badSchedule,
  badTime,
  paused,
  pausedAfterFailures,
];

/** Returns why the schedule is not followed just now; undefined where it is. */
export function findBlock(input: DecisionInput, failures: FailureRecord | undefined): Block | undefined {
  for (const blocker of BLOCKERS) {
    const block = blocker(input, failures);
    if (block) return block;
  }
  return undefined;
}

function beingDeleted({ cronJob }: DecisionInput): Block | undefined {
  if (!cronJob.isBeingDeleted) return undefined;
  return { reason: "Deleting", message: "The CronJob is being deleted", isTotal: true };
}

function notOurs({ cronJob }: DecisionInput): Block | undefined {
  const { closed, isContested } = cronJob.stewardship;
  if (!closed) return undefined;
  return { ...(isContested ? fault("NotSuspended", closed.message) : closed), isTotal: true };
}

function recordLost({ cronJob, facts }: DecisionInput): Block | undefined {
  const lost = facts?.lost ?? cronJob.lostRecord;
  if (!lost) return undefined;
  const message =
    "Nothing starts, as the API server has forgotten what this controller wrote, as after a restore from a " +
    `backup: resume, or a new value of the annotation ${RESUME}, ends that`;
  return { ...fault("RecordLost", message), since: lost.since, lost, isTotal: true };
}

function nameTooLong({ cronJob, now }: DecisionInput): Block | undefined {
  const { name } = cronJob.metadata;
  const { length } = jobNameFor(cronJob, { trigger: "Schedule", scheduledTime: now });
  if (length <= MAX_JOB_NAME_LENGTH) return undefined;
  const excess = length - MAX_JOB_NAME_LENGTH;
  const message = `metadata.name must be no more than ${name.length - excess} characters, so that the names of Jobs, ` +
    `which add ${length - name.length}, stay within ${MAX_JOB_NAME_LENGTH}; current value has ${name.length}`;
  return { ...fault("NameTooLong", message), isTotal: true };
}

function unknownTimeZone({ cronJob }: DecisionInput): Block | undefined {
  const reading = cronJob.schedule;
  if (reading.kind === "schedule" || reading.reason !== "UnknownTimeZone") return undefined;
  return fault(reading.reason, reading.message);
}

function suspended({ cronJob }: DecisionInput): Block | undefined {
  if (!cronJob.settings.suspended) return undefined;
  const isInSpec = cronJob.stewardship.suspendedIn === "spec";
  const where = isInSpec ? "spec.suspend is true" : `annotation ${SUSPEND} is "true"`;
  const pause = readPauseNote(cronJob.object);
  const isByPause = pause.kind === "note" && pause.note.suspends && pause.note.until === undefined;
  return { reason: "Suspended", message: isByPause ? `${where}, ${inWords(pause.note)}` : where };
}

function badSchedule({ cronJob }: DecisionInput): Block | undefined {
  const reading = cronJob.schedule;
  return reading.kind === "schedule" ? undefined : fault(reading.reason, reading.message);
}

/** The CRD lets in some text that is no time, such as an offset of 99 hours. */
function badTime({ cronJob }: DecisionInput): Block | undefined {
  const { badTime: problem } = cronJob.settings;
  return problem === undefined ? undefined : fault("InvalidTime", problem);
}

function paused({ cronJob, now }: DecisionInput): Block | undefined {
  const { pause } = cronJob.settings;
  if (!pause || !isPaused(pause, now)) return undefined;
  return { reason: "Paused", message: pause.message, until: pause.until };
}

function pausedAfterFailures(_input: DecisionInput, failures: FailureRecord | undefined): Block | undefined {
  if (failures?.pausedSince === undefined) return undefined;
  const message =
    `Nothing starts, as ${failures.count} runs failed in a row: a run by hand that succeeds, a change of the ` +
    `spec, or a new value of the annotation ${RESUME} ends that`;
  return { ...fault("PausedAfterFailures", message), since: failures.pausedSince };
}

function fault(reason: ConditionReason<"Ready"> & WarningReason, message: string) {
  return { reason, message, isFault: true } as const;
}
