import type { EpochMs } from "../base/epoch_ms.ts";
import type { CronJob } from "./api/cron_job.ts";
import type { NeverTwice } from "./decision/input.ts";
import { bodyOf } from "./job_creation.ts";
import type { NextRun } from "./plan.ts";
import type { ScheduledRun } from "./decision/run_request.ts";

/** Jobs are built at most so long ahead: what is built for far away is thrown away by the next edit. */
const BUILD_AHEAD_MS = 60_000;
/** Bytes of built Jobs that may be held at a time. Above it a Job is built when its time has come. */
const BUILT_BYTES = 16 * 1024 * 1024;

/** A run that was decided on before its time. */
interface ArmedRun extends NextRun {
  /** The version that it was decided on: any other throws it away. */
  readonly resourceVersion: string;
  /** Until when runs were known to have started: an `@every` counts from there. */
  readonly startedUntil: EpochMs | undefined;
  /** The Job, ready to be sent; absent where it is built at its time. */
  body?: string;
}

/** A run that may start at once. */
export interface ReadyRun {
  readonly request: ScheduledRun;
  readonly body: string;
  /** When the run after it starts. */
  readonly followingAt: EpochMs | undefined;
}

/** The next run of each CronJob, decided on and ready to be sent before its time comes. */
export class ArmedRuns {
  /** By UID of the CronJob. */
  readonly #runs = new Map<string, ArmedRun>();
  readonly #neverTwice: NeverTwice | undefined;
  #builtBytes = 0;

  constructor(neverTwice: NeverTwice | undefined) {
    this.#neverTwice = neverTwice;
  }

  /** Holds the run that comes next of this version of a CronJob, in place of any other of it. */
  arm(
    cronJob: CronJob,
    next: NextRun | undefined,
    { now, startedUntil }: { now: EpochMs; startedUntil: EpochMs | undefined },
  ): void {
    const { uid, resourceVersion } = cronJob.metadata;
    this.disarm(uid);
    if (!next) return;
    const run: ArmedRun = { ...next, resourceVersion, startedUntil };
    if (next.startsAt - now <= BUILD_AHEAD_MS && this.#builtBytes < BUILT_BYTES) {
      run.body = bodyOf(cronJob, next.request, this.#neverTwice);
      this.#builtBytes += run.body.length;
    }
    this.#runs.set(uid, run);
  }

  /** Returns the run of this version that may start now, once; undefined where it has to be decided on. */
  take(
    cronJob: CronJob,
    { now, startedUntil, hasRoom }: {
      now: EpochMs;
      startedUntil: EpochMs | undefined;
      /** Whether it is sure that fewer Jobs than this are active. */
      hasRoom: (maxActive: number) => boolean;
    },
  ): ReadyRun | undefined {
    const { uid, resourceVersion } = cronJob.metadata;
    const run = this.#runs.get(uid);
    if (!run || run.resourceVersion !== resourceVersion) return undefined;
    // The wall clock may have been set meanwhile, in either direction.
    if (now < run.startsAt || now >= run.startsBefore) return undefined;
    if (startedUntil !== run.startedUntil) return undefined;
    if (run.maxActive !== Infinity && !hasRoom(run.maxActive)) return undefined;
    this.disarm(uid);
    const { request, followingAt } = run;
    return { request, followingAt, body: run.body ?? bodyOf(cronJob, request, this.#neverTwice) };
  }

  /** Called when the CronJob has a newer version, or is gone. */
  disarm(uid: string): void {
    const run = this.#runs.get(uid);
    if (!run) return;
    this.#builtBytes -= run.body?.length ?? 0;
    this.#runs.delete(uid);
  }
}
