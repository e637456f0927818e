import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, Lane, Place } from "../kube/client.ts";
import { JOBS } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import type { OwnWrites } from "../runtime/own_writes.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import type { CronJobEdit } from "./api/cron_job_edit.ts";
import type { CronJob } from "./api/cron_job.ts";
import { readCronJob, withType } from "./api/read_cron_job.ts";
import type { Child } from "./api/job.ts";
import { handOverPatch } from "./api/ownership.ts";
import { withoutInnerOwners } from "./api/spec_writes.ts";
import type { CronJobObject } from "./api/types.ts";
import { readConsistently } from "./certain_version.ts";
import type { HandOver } from "./decision/hand_overs.ts";
import type { Knowledge } from "./knowledge/knowledge.ts";
import type { Records, Timeout } from "./plan.ts";
import type { CronJobReporter } from "./reporter.ts";
import {
  deleted,
  deleteFailed,
  handOverFailed,
  PENDING_TIMEOUT,
  pendingTimeout,
  pendingTimeoutFailed,
  pendingTimeoutMessage,
  replaced,
} from "./status/events.ts";

/** How long until a Job whose owner reference could not be changed is tried again. */
const HAND_OVER_RETRY_MS = 10_000;

/** How long until a Job that could not be ended is tried again. */
const TIMEOUT_RETRY_MS = 60_000;

/** Returns why a Pod of a Job does not start; undefined where none says. */
export type WaitOf = (job: { readonly uid: string; readonly namespace?: string | undefined }) => string | undefined;

export interface WritesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly reporter: CronJobReporter;
  readonly ownWrites: OwnWrites<CronJob>;
  /** Called when a record was refused as the CronJob is newer than the cache shows. */
  readonly onConflict?: (cronJob: CronJob) => void;
  /** Absent where Pods may not be read. */
  readonly waitOf?: WaitOf | undefined;
}

/** Every write about one CronJob but the creation of Jobs, each with the version that it was decided on as precondition. */
export class Writes {
  readonly #options: WritesOptions;
  readonly #knowledge: Knowledge;
  readonly #signal: AbortSignal;
  readonly #place: Place | undefined;
  #cronJob: CronJob;

  constructor(options: WritesOptions, cronJob: CronJob, { knowledge, signal, place }: {
    knowledge: Knowledge;
    signal: AbortSignal;
    /** The place that its requests may leave with, one after the other. */
    place?: Place | undefined;
  }) {
    this.#options = options;
    this.#cronJob = cronJob;
    this.#knowledge = knowledge;
    this.#signal = signal;
    this.#place = place;
  }

  /** The newest version: as read, or as the last of these writes returned it. */
  get cronJob(): CronJob {
    return this.#cronJob;
  }

  async record({ status, annotations }: Records, lane: Lane = "status"): Promise<void> {
    try {
      // Times that were passed over are known before the status says that a later time was started.
      if (annotations) await this.edit({ annotations }, lane);
      if (status) await this.#writeStatus(status, lane);
    } catch (error) {
      if (error instanceof ApiError && error.isConflict) await this.#lookAgain();
      throw error;
    }
  }

  /** The watch has to show another version; unless that is one of the past, as the API server was restored from a backup. */
  async #lookAgain(): Promise<void> {
    const { client, ownWrites, onConflict } = this.#options;
    onConflict?.(this.#cronJob);
    if (!ownWrites.isAhead(this.#cronJob.metadata.uid)) return;
    const found = await readConsistently(client, this.#cronJob, this.#signal);
    if (found) ownWrites.noteFound(found);
  }

  async edit({ annotations, spec }: CronJobEdit, lane: Lane = "status"): Promise<void> {
    const { flavour, metadata: { name, namespace, resourceVersion } } = this.#cronJob;
    const body = { metadata: { resourceVersion, annotations }, spec };
    const patch = { type: "merge", body } as const;
    const options = { lane, signal: this.#signal, place: this.#place };
    this.#wrote(await this.#options.client.patch(flavour.resource, { name, namespace }, patch, options));
  }

  async #writeStatus(status: NonNullable<Records["status"]>, lane: Lane): Promise<void> {
    const { flavour, object } = this.#cronJob;
    // Where a write says nothing of them, the API server keeps them.
    const { managedFields: _, ...metadata } = object.metadata;
    const changed = { ...object, metadata, status } as CronJobObject;
    const options = { subresource: "status", lane, signal: this.#signal, place: this.#place };
    this.#wrote(await this.#options.client.replace(flavour.resource, changed, options));
  }

  #wrote(object: CronJobObject): void {
    const { flavour } = this.#cronJob;
    const written = readCronJob(flavour, withType(flavour, withoutInnerOwners(object)));
    this.#options.ownWrites.record(this.#cronJob, written);
    this.#knowledge.newest.noteWritten(written);
    this.#cronJob = written;
  }

  /** Resolves once a Job that the next run replaces is going away. */
  async replace(child: Child): Promise<void> {
    try {
      await this.#delete(child, "run");
      this.#announce(replaced(child));
    } catch (error) {
      if (error instanceof ApiError) this.#announce(deleteFailed(child, error.message));
      throw error;
    }
  }

  /**
   * Has the Job controller fail a Job, whichever controller that is. It must not have changed since: a Pod may have started.
   * Returns when to try again what was refused.
   */
  async timeOut({ child, timeoutMs }: Timeout): Promise<EpochMs | undefined> {
    const { name, namespace, uid, resourceVersion } = child.metadata;
    const { clock, client, waitOf } = this.#options;
    const time = formatTime(clock.now());
    const message = pendingTimeoutMessage(timeoutMs, waitOf?.({ uid, namespace }));
    const condition = {
      type: "FailureTarget",
      status: "True",
      reason: PENDING_TIMEOUT,
      message,
      lastProbeTime: time,
      lastTransitionTime: time,
    };
    const body = { metadata: { uid, resourceVersion }, status: { conditions: [condition] } };
    const options = { subresource: "status", lane: "status", signal: this.#signal } as const;
    try {
      await client.patch(JOBS, { name, namespace }, { type: "strategic", body }, options);
      this.#knowledge.pods?.noteTimedOut(uid);
      this.#announce(pendingTimeout(child, message));
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // It is gone, or has changed, which the cache will show.
      if (error.isNotFound || error.isConflict) return undefined;
      if (error.code === 403) this.#knowledge.pods?.noteForbidden(error.message);
      this.#announce(pendingTimeoutFailed(child, error.message));
      return clock.now() + TIMEOUT_RETRY_MS;
    }
  }

  /** Best effort: what can't be deleted now is tried again with the next decision. */
  async cleanUp(child: Child): Promise<void> {
    try {
      await this.#delete(child, "housekeeping");
      this.#announce(deleted(child));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#announce(deleteFailed(child, error.message));
    }
  }

  async #delete({ metadata: { name, namespace, uid } }: Child, lane: Lane): Promise<void> {
    try {
      await this.#options.client.delete(JOBS, { name, namespace }, {
        propagationPolicy: "Background",
        preconditions: { uid },
        lane,
        signal: this.#signal,
        place: this.#place,
      });
    } catch (error) {
      // Gone already, or another Job has its name.
      if (!(error instanceof ApiError) || !(error.isNotFound || error.isConflict)) throw error;
    }
    this.#knowledge.overlay.noteDeleted(uid, this.#options.clock.monotonic());
  }

  /** Returns when to try again what was refused; undefined once all Jobs name whom they should. */
  async handOver(handOvers: readonly HandOver[]): Promise<EpochMs | undefined> {
    if (handOvers.length === 0) return undefined;
    // Settled, as none of them may be under way when the next decision is made.
    const results = await Promise.allSettled(handOvers.map((handOver) => this.#handOverOne(handOver)));
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    const done = results.every((result) => result.status === "fulfilled" && result.value);
    return done ? undefined : this.#options.clock.now() + HAND_OVER_RETRY_MS;
  }

  async #handOverOne({ child, controller }: HandOver): Promise<boolean> {
    const { overlay } = this.#knowledge;
    const { name, namespace, uid } = child.metadata;
    const before = overlay.handedOver?.get(uid);
    const patch = handOverPatch(child, this.#cronJob.metadata.uid, { controller });
    overlay.noteHandOver(uid, "unknown");
    try {
      const options = { lane: "status", signal: this.#signal } as const;
      await this.#options.client.patch(JOBS, { name, namespace }, patch, options);
      overlay.noteHandOver(uid, controller);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.isNotFound) return true;
      if (!error.isInDoubt) overlay.noteHandOver(uid, before);
      this.#announce(handOverFailed(child, error.message));
      return false;
    }
  }

  #announce(event: Parameters<CronJobReporter["announce"]>[2][number]): void {
    this.#options.reporter.announce(this.#cronJob, this.#knowledge.unreported, [event]);
  }
}
