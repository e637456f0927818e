import type { EpochMs } from "../../base/epoch_ms.ts";
import { PAUSE, RESUME, SUSPEND } from "../api/annotations.ts";
import type { CronJob } from "../api/cron_job.ts";
import { type Child, startedTime } from "../api/job.ts";
import { resumeValue } from "../api/lost_record.ts";
import type { RecordLost } from "../api/types.ts";
import { isPaused, pauseEnd } from "../api/pause.ts";
import type { DecisionFacts } from "../decision/input.ts";
import { isAmong, newestRecorded } from "../decision/stretches.ts";
import { backfilledKey, type RunRequest } from "../decision/run_request.ts";

/** How many triggers are remembered of one CronJob. */
const TRIGGERS = 200;
/** How many runs of the past are remembered: more than are started between two records. */
const BACKFILLED = 200;
/** How many starts are remembered one by one until a status records them. */
const STARTED = 2_000;

/** Whether a run was missed, and started in line with others. */
export interface HowStarted {
  readonly isCatchUp?: boolean | undefined;
}

/** The facts that this process has witnessed of one CronJob, and no object says. All of it may be lost. */
export class Witness {
  #facts: DecisionFacts = {};
  #schedule: { readonly text: string; readonly exclusions: string | undefined; readonly at: EpochMs } | undefined;
  /** The annotation that suspended, paused or did not resume it. */
  #closedBy: string | undefined;
  #isBackfillUnrecorded = false;

  /** Replaced as a whole when one of them changes. */
  get facts(): DecisionFacts {
    return this.#facts;
  }

  /** Notices a change of schedule or zone, or the end of a pause, that happens while this process looks on. */
  noteVersion(cronJob: CronJob, now: EpochMs): void {
    const { settings } = cronJob;
    const closedBy = closingAnnotation(cronJob, now);
    if (this.#closedBy !== undefined && closedBy === undefined) {
      // Another value is on record; of an annotation that was taken away there is none.
      const written = this.#closedBy === SUSPEND ? cronJob.pauseWrittenAt : pauseEnd(settings.pause, now);
      this.#facts = { ...this.#facts, resumedAt: Math.min(now, written ?? now) };
    }
    this.#closedBy = closedBy;
    // Of several schedules it is recorded since when each holds.
    const [{ text: only, timeZone }, ...others] = settings.schedules;
    const text = others.length > 0 ? "several" : `${timeZone ?? ""} ${only}`;
    const exclusions = settings.exclusionsDigest;
    if (this.#schedule !== undefined && this.#schedule.text !== text) {
      // Read only here: it goes through all managed fields. It was another one when this was last looked at.
      const written = cronJob.scheduleWrittenAt ?? now;
      this.#facts = { ...this.#facts, editedAt: Math.min(now, Math.max(written, this.#schedule.at)) };
    } else if (this.#schedule !== undefined && this.#schedule.exclusions !== exclusions) {
      // Of an annotation that was taken away there is no record.
      this.#facts = { ...this.#facts, editedAt: now };
    }
    this.#schedule = { text, exclusions, at: now };
    this.#forgetRecorded(cronJob);
    const { lost } = this.#facts;
    if (lost && lost.resume !== resumeValue(cronJob)) this.#facts = { ...this.#facts, lost: undefined };
  }

  /** Starts that this version records need not be remembered. */
  #forgetRecorded({ recorded: { lastScheduleTime }, passedOver, waiting }: CronJob): void {
    const { started, startedUntil = -Infinity } = this.#facts;
    if (started === undefined) return;
    const newest = newestRecorded(lastScheduleTime, passedOver) ?? -Infinity;
    if (started === "TooMany") {
      if (passedOver.length === 0 && startedUntil <= newest) this.#facts = { ...this.#facts, started: undefined };
      return;
    }
    const left = [...started].filter((time) => time > newest || isAmong([...passedOver, ...waiting], time));
    if (left.length < started.size) this.#facts = { ...this.#facts, started: new Set(left) };
  }

  /** Notes what a Job says about itself: the cache may lose it before the status that records it arrives. */
  noteJob(child: Child, now: EpochMs): void {
    this.#noteStartedUntil(startedTime(child, now));
    if (child.scheduledTime !== undefined) this.#noteStarted(child.scheduledTime);
    if (child.triggeredBy !== undefined) this.noteTrigger(child.triggeredBy);
  }

  #noteStartedUntil(scheduledTime: EpochMs | undefined): void {
    if (scheduledTime === undefined || scheduledTime <= (this.#facts.startedUntil ?? -Infinity)) return;
    this.#facts = { ...this.#facts, startedUntil: scheduledTime };
  }

  #noteStarted(scheduledTime: EpochMs): void {
    const { started } = this.#facts;
    if (started === "TooMany" || started?.has(scheduledTime)) return;
    const more = new Set(started).add(scheduledTime);
    this.#facts = { ...this.#facts, started: more.size > STARTED ? "TooMany" : more };
  }

  /** Whether there are started runs that the version noted last does not record. */
  get hasUnrecorded(): boolean {
    const { started } = this.#facts;
    return this.#isBackfillUnrecorded || started === "TooMany" || (started?.size ?? 0) > 0;
  }

  noteTrigger(id: string): void {
    if (this.#facts.triggers?.has(id)) return;
    this.#facts = { ...this.#facts, triggers: withNewest(this.#facts.triggers, id, TRIGGERS) };
  }

  #noteBackfilled(run: string): void {
    this.#isBackfillUnrecorded = true;
    this.#facts = { ...this.#facts, backfilled: withNewest(this.#facts.backfilled, run, BACKFILLED) };
  }

  noteNameTaken(jobName: string): void {
    this.#facts = { ...this.#facts, takenNames: withNewest(this.#facts.takenNames, jobName, BACKFILLED) };
  }

  noteDecidedUntil(scheduledTime: EpochMs | undefined): void {
    if (scheduledTime === undefined || scheduledTime <= (this.#facts.decidedUntil ?? -Infinity)) return;
    this.#facts = { ...this.#facts, decidedUntil: scheduledTime };
  }

  /** This version has the last record, which the API server took. */
  noteRecorded({ recorded: { lastScheduleTime }, waiting }: CronJob): void {
    const { isUnrecordable, recorded } = this.#facts;
    if (waiting.length === 0 && !isUnrecordable && !recorded) return;
    this.#facts = {
      ...this.#facts,
      isUnrecordable: false,
      recorded: waiting.length === 0 ? undefined : { lastScheduleTime, waiting },
    };
  }

  /** The API server refused the last record. A conflict says nothing of the next. */
  noteUnrecordable(): void {
    this.#facts = { ...this.#facts, isUnrecordable: true };
  }

  /** The API server was found to have forgotten records. */
  noteLost(lost: RecordLost): void {
    this.#facts = { ...this.#facts, lost };
  }

  /** The wall clock was found to have been ahead: nothing that happened lies after now, and no retry waits for longer. */
  noteClockWentBack(now: EpochMs): void {
    const { decidedUntil, editedAt, resumedAt } = this.#facts;
    const upToNow = (time: EpochMs | undefined) => time === undefined ? undefined : Math.min(time, now);
    this.#facts = {
      ...this.#facts,
      clockWentBack: true,
      // A run that is due right now is decided on, and reported, anew.
      decidedUntil: decidedUntil === undefined ? undefined : Math.min(decidedUntil, now - 1_000),
      editedAt: upToNow(editedAt),
      resumedAt: upToNow(resumedAt),
    };
  }

  /** This run has, or had, its Job. */
  noteRun(request: RunRequest, { isCatchUp }: HowStarted): void {
    if (request.trigger === "Manual") return this.noteTrigger(request.id);
    if (request.trigger === "Backfill") return this.#noteBackfilled(backfilledKey(request));
    this.#noteStartedUntil(request.scheduledTime);
    this.#noteStarted(request.scheduledTime);
    if (!isCatchUp) return;
    const { caughtUpUntil = -Infinity } = this.#facts;
    this.#facts = { ...this.#facts, caughtUpUntil: Math.max(caughtUpUntil, request.scheduledTime) };
  }

  /** All is recorded. */
  noteSettled(): void {
    this.#isBackfillUnrecorded = false;
  }
}

/** Returns the set with one more, of which the newest so many are kept. */
function withNewest(known: ReadonlySet<string> | undefined, one: string, most: number): ReadonlySet<string> {
  return new Set([...known ?? [], one].slice(-most));
}

function closingAnnotation(cronJob: CronJob, now: EpochMs): string | undefined {
  const { settings: { suspended, pause }, stewardship, lostRecord } = cronJob;
  if (suspended && stewardship.suspendedIn === "annotation") return SUSPEND;
  if (pause?.in === "annotation" && isPaused(pause, now)) return PAUSE;
  return lostRecord && RESUME;
}
