import { mergePatch } from "../base/merge_patch.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { readCronJob } from "../cronjob/api/read_cron_job.ts";
import { type Child, readJob } from "../cronjob/api/job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { decide } from "../cronjob/decide.ts";
import { find } from "../cronjob/decision/find.ts";
import type { Breach, Findings } from "../cronjob/decision/findings.ts";
import type { DecisionFacts, DecisionInput } from "../cronjob/decision/input.ts";
import { jobFor } from "../cronjob/decision/job_template.ts";
import type { RecordPlan, Records, SettlePlan, StartPlan } from "../cronjob/plan.ts";
import { type RunRequest, scheduledTimeOf } from "../cronjob/decision/run_request.ts";
import type { Job } from "../kube/resource.ts";
import { earliest, type EpochMs, formatTime, latest } from "../base/epoch_ms.ts";
import type { HeldBack } from "./regular_runs.ts";
import type { DoneRuns, RefusalReason, Run } from "./runs.ts";

/** Where a simulation begins. */
export interface InitialState {
  readonly cronJob: CronJob;
  readonly jobs: readonly Child[];
  /** Further facts that a controller knows from earlier decisions. */
  readonly facts?: DecisionFacts | undefined;
}

/** A Job that is under way. */
interface ActiveJob extends Omit<Run, "isReplaced"> {
  readonly child: Child;
}

/**
 * One CronJob, its Jobs, and a controller that does at once and without fail what is decided. Every run succeeds that no other
 * takes the place of.
 */
export class SimulatedController {
  readonly #durationMs: number;
  readonly #deleted = new Set<string>();
  readonly #refused = new Map<EpochMs, RefusalReason>();
  readonly #breaches = new Map<string, Breach>();
  readonly #ended: Run[] = [];
  #cronJob: CronJob;
  #facts: DecisionFacts;
  /** In the order of their starts. */
  #active: readonly ActiveJob[];
  #finished: readonly Child[];
  #created = 0;

  /** Jobs that are active already, and have been for longer than one lasts, go on for as long again. */
  constructor({ cronJob, jobs, facts = {} }: InitialState, { durationMs, now }: { durationMs: number; now: EpochMs }) {
    this.#cronJob = cronJob;
    this.#facts = facts;
    this.#durationMs = durationMs;
    this.#finished = jobs.filter(({ state }) => state !== "active");
    this.#active = jobs.filter(({ state }) => state === "active").map((child) => {
      const startsAt = child.createdAt ?? now;
      const ended = startsAt + durationMs;
      const { scheduledTime } = child;
      return { child, scheduledTime, startsAt, endsAt: ended > now ? ended : now + durationMs };
    }).sort((a, b) => a.startsAt - b.startsAt);
  }

  /** When the Jobs end that are under way. */
  get ends(): readonly EpochMs[] {
    return this.#active.map(({ endsAt }) => endsAt);
  }

  /** Ends all Jobs in their time. Returns which runs there were, and which scheduled times got no Job. */
  done(): DoneRuns {
    this.#endJobs(Infinity);
    return {
      single: this.#ended,
      refused: [...this.#refused].map(([scheduledTime, reason]) => ({ scheduledTime, reason })),
      breaches: [...this.#breaches.values()],
    };
  }

  /** Does all that is to be done now. Returns when there is more to do. */
  work(now: EpochMs): EpochMs | undefined {
    this.#endJobs(now);
    if (this.#cronJob.settings.expect) this.#judge(now);
    for (;;) {
      const plan = decide(this.#input(now));
      if (plan.kind === "start") {
        this.#start(plan, now);
        continue;
      }
      const isNew = this.#settle(plan);
      if (!plan.again || !isNew) return earliest(plan.requeueAt, ...this.ends);
    }
  }

  /** The findings before any of it is done. */
  find(now: EpochMs): Findings {
    return find(this.#input(now));
  }

  /** Refuses times to come, as a decision on each would. */
  refuse({ times, reason }: HeldBack): void {
    for (const time of times) this.#refused.set(time, reason);
    this.#noteDecided(times.at(-1));
  }

  #judge(now: EpochMs): void {
    for (const breach of this.find(now).expectations.breaches) {
      this.#breaches.set(`${breach.kind} ${breach.time}`, breach);
    }
  }

  #endJobs(now: EpochMs): void {
    const { over = [], active = [] } = Object.groupBy(this.#active, ({ endsAt }) => endsAt <= now ? "over" : "active");
    this.#active = active;
    for (const { child, ...run } of over) {
      this.#ended.push({ ...run, isReplaced: false });
      this.#finished = [...this.#finished, { ...child, state: "succeeded", endTime: run.endsAt }];
    }
  }

  #input(now: EpochMs): DecisionInput {
    const jobs = [...this.#finished, ...this.#active.map(({ child }) => child)];
    return { cronJob: this.#cronJob, jobs, now, facts: this.#facts, deleted: this.#deleted };
  }

  #start({ request, replaces, recordFirst }: StartPlan, now: EpochMs): void {
    if (recordFirst) this.#note(recordFirst);
    for (const { metadata } of replaces) this.#deleted.add(metadata.uid);
    const { gone = [], active = [] } = Object.groupBy(
      this.#active,
      ({ child }) => replaces.some(({ metadata: { uid } }) => uid === child.metadata.uid) ? "gone" : "active",
    );
    for (const { child: _, ...run } of gone) this.#ended.push({ ...run, endsAt: now, isReplaced: true });
    const scheduledTime = scheduledTimeOf(request);
    const child = createdJob(this.#cronJob, request, { now, uid: `simulated ${++this.#created}` });
    this.#active = [...active, { child, scheduledTime, startsAt: now, endsAt: now + this.#durationMs }];
    if (scheduledTime !== undefined) this.#refused.delete(scheduledTime);
  }

  /** Returns whether anything was written. */
  #settle({ deletions, ...plan }: SettlePlan): boolean {
    this.#note(plan);
    if (deletions.length > 0) this.#finished = this.#finished.filter((child) => !deletions.includes(child));
    return plan.records.status !== undefined || plan.records.annotations !== undefined;
  }

  #note({ records, report, decidedUntil }: RecordPlan): void {
    this.#record(records);
    for (const { scheduledTime, reason } of report.refused) {
      if (scheduledTime !== undefined) this.#refused.set(scheduledTime, reason);
    }
    this.#noteDecided(decidedUntil);
  }

  #noteDecided(until: EpochMs | undefined): void {
    this.#facts = { ...this.#facts, decidedUntil: latest(until, this.#facts.decidedUntil) };
  }

  #record({ status, annotations }: Records): void {
    if (status === undefined && annotations === undefined) return;
    const { object, flavour } = this.#cronJob;
    const metadata = { ...object.metadata, annotations: mergePatch(object.metadata.annotations, annotations ?? {}) };
    this.#cronJob = readCronJob(flavour, { ...object, metadata, status: status ?? object.status } as CronJobObject);
  }
}

/** Returns the Job of a run as the API server shows it once it has started. */
function createdJob(cronJob: CronJob, request: RunRequest, { now, uid }: { now: EpochMs; uid: string }): Child {
  const job = jobFor(cronJob, request);
  const time = formatTime(now);
  const metadata = { ...job.metadata, uid, resourceVersion: "", creationTimestamp: time };
  return readJob([cronJob.flavour], { ...job, metadata, status: { startTime: time } } as Job);
}
