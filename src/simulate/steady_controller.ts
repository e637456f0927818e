import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { Child } from "../cronjob/api/job.ts";
import { admission } from "../cronjob/decision/admission.ts";
import { findDueTimes } from "../cronjob/decision/due_times.ts";
import type { Admission, DueTimes, Findings, StartPoint } from "../cronjob/decision/findings.ts";
import type { DecisionInput } from "../cronjob/decision/input.ts";
import { jobNameFor } from "../cronjob/decision/job_template.ts";
import type { ScheduledRun } from "../cronjob/decision/run_request.ts";
import { givenUp, stillWaiting } from "../cronjob/decision/line.ts";
import { endOfUnit } from "../cronjob/decision/start_point.ts";
import { withStarted } from "../cronjob/decision/stretches.ts";
import { earliest, type EpochMs } from "../base/epoch_ms.ts";
import { type ActiveJob, JobsUnderWay } from "./jobs_under_way.ts";
import type { FoundRuns } from "./regular_runs.ts";
import type { DoneRuns, RefusalReason } from "./runs.ts";
import { createdJob } from "./simulated_controller.ts";

/** Returns whether from this instant on nothing decides but the schedule, and which Jobs are active. */
export function isSteady({ block, due, start, scheduled, manual, backfill }: Findings): boolean {
  const isIdle = ({ kind }: { kind: string }) => kind === "none" || kind === "done";
  return block === undefined && !due.stopped && due.schedule !== undefined && start.open.length === 1 &&
    start.dropped.length === 0 &&
    scheduled.kind !== "failed" && scheduled.kind !== "done" && isIdle(manual) &&
    backfill.progress?.state !== "Running";
}

/** What is done at an instant leaves this. */
export interface Worked {
  readonly due: DueTimes;
  /** Whether nothing waits for a Job to end. */
  readonly isIdle: boolean;
  /** When there is more to do. */
  readonly next: EpochMs | undefined;
}

/**
 * The same as the simulated controller, where all stays as it was found but the last run, what waits, and the active Jobs:
 * only what these decide is decided again, by the functions that decide it, and nothing is recorded.
 */
export class SteadyController {
  readonly jobs: JobsUnderWay;
  readonly #durationMs: number;
  readonly #cronJob: CronJob;
  readonly #failures: Findings["failures"];
  readonly #refused = new Map<EpochMs, RefusalReason>();
  /** A Job like any other, once there is one. */
  #child: Child | undefined;
  #start: StartPoint;
  #decidedUntil: EpochMs;
  #queuedTime: EpochMs | undefined;
  #created = 0;

  constructor({ input, start, due, failures }: Findings, active: readonly ActiveJob[], durationMs: number) {
    const { cronJob, facts } = input;
    this.jobs = new JobsUnderWay(active);
    this.#durationMs = durationMs;
    this.#start = due.start ?? start;
    this.#failures = failures;
    this.#decidedUntil = Math.max(due.decidedUntil, facts?.decidedUntil ?? -Infinity);
    this.#queuedTime = cronJob.recorded.queuedTime;
    const recorded = () => ({ ...cronJob.recorded, queuedTime: this.#queuedTime });
    this.#cronJob = new Proxy(cronJob, {
      get: (cronJob, name) => name === "recorded" ? recorded() : Reflect.get(cronJob, name, cronJob),
    });
  }

  get cronJob(): CronJob {
    return this.#cronJob;
  }

  /** Returns, once, which runs are over, and which scheduled times got no Job. */
  takeDone(): DoneRuns {
    const refused = [...this.#refused].map(([scheduledTime, reason]) => ({ scheduledTime, reason }));
    this.#refused.clear();
    return { regular: [], single: this.jobs.takeEnded(), refused };
  }

  work(now: EpochMs): Worked {
    this.jobs.endUntil(now);
    for (;;) {
      const input = this.#input(now);
      const due = findDueTimes(input, { start: this.#start, block: undefined, failures: this.#failures });
      const request = due.due === undefined ? undefined : { trigger: "Schedule" as const, scheduledTime: due.due };
      const answer = admission(input, input.jobs, request, { isMissed: due.line?.isPunctual === false });
      this.#followLine({ input, due, start: this.#start, scheduled: answer });
      if (answer.kind === "start") {
        this.jobs.replace(answer.replaces, now);
        this.#startRun(answer.request, now);
        continue;
      }
      this.#note(answer, due);
      const next = due.next === undefined ? undefined : due.next + due.offsetMs;
      const isIdle = answer.kind === "none" || answer.kind === "done";
      return { due, isIdle, next: earliest(next, ...isIdle && next === undefined ? [] : this.jobs.ends) };
    }
  }

  /** Goes on after runs that were not decided on one by one: the last one, and those that are still active. */
  noteRegular(last: EpochMs, active: FoundRuns["active"]): void {
    for (const { scheduledTime, startsAt } of active) this.#startRun({ trigger: "Schedule", scheduledTime }, startsAt);
    this.#noteStarted(last);
  }

  #input(now: EpochMs): DecisionInput {
    return { cronJob: this.#cronJob, jobs: this.jobs.children, now, facts: { decidedUntil: this.#decidedUntil } };
  }

  #startRun(request: ScheduledRun, now: EpochMs): void {
    const { scheduledTime } = request;
    const like = this.#child ??= createdJob(this.#cronJob, request, { now, uid: "" });
    const metadata = {
      ...like.metadata,
      name: jobNameFor(this.#cronJob, request),
      uid: `steady ${++this.#created}`,
    };
    const child = { ...like, metadata, scheduledTime, createdAt: now, startTime: now };
    this.jobs.start({ child, scheduledTime, startsAt: now, endsAt: now + this.#durationMs });
    this.#noteStarted(scheduledTime);
  }

  #noteStarted(scheduledTime: EpochMs): void {
    const { flavour } = this.#cronJob;
    this.#refused.delete(scheduledTime);
    if (this.#queuedTime === scheduledTime) this.#queuedTime = undefined;
    else if (this.#start.waiting.length === 0) this.#supersede(scheduledTime);
    const [open] = this.#start.open;
    const after = Math.max(open.after, endOfUnit(scheduledTime, flavour));
    this.#start = {
      ...this.#start,
      open: [{ ...open, after, anchor: Math.max(open.anchor, scheduledTime) }],
      waiting: withStarted(this.#start.waiting, [scheduledTime], (time) => endOfUnit(time, flavour)),
    };
  }

  #note(answer: Exclude<Admission, { kind: "start" }>, { due, line, tooLate, decidedUntil }: DueTimes): void {
    const decided = due ?? tooLate;
    const isQueued = answer.kind === "wait" && answer.reason === "JobQueued";
    // As it is recorded: what was queued before an edit of the policy waits no longer.
    if (!isQueued) this.#queuedTime = undefined;
    if (decided === undefined) return;
    if (isQueued) {
      if (!line) this.#supersede(decided);
      this.#queuedTime = decided;
    }
    if (decided > decidedUntil && answer.kind === "wait" && !isQueued && !line) {
      this.#refused.set(decided, "JobAlreadyActive");
    }
    if (decided > decidedUntil && answer.kind === "none") this.#refused.set(decided, "MissSchedule");
    this.#decidedUntil = Math.max(this.#decidedUntil, decided);
  }

  #followLine(decided: Parameters<typeof stillWaiting>[0]): void {
    for (const time of givenUp(decided)) this.#refused.set(time, "Superseded");
    this.#start = { ...this.#start, waiting: stillWaiting(decided) };
  }

  /** Something newer takes the place of what waits. */
  #supersede(by: EpochMs): void {
    if (this.#queuedTime === undefined || this.#queuedTime >= by) return;
    this.#refused.set(this.#queuedTime, "Superseded");
    this.#queuedTime = undefined;
  }
}
