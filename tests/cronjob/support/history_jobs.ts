import { assertEquals } from "@std/assert";
import { BACKFILL } from "../../../src/cronjob/api/annotations.ts";
import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { type EpochMs, parseTime } from "../../../src/base/epoch_ms.ts";
import { must } from "../../support/expected.ts";
import type { Setting } from "./history_setting.ts";
import type { SimulatedServer } from "./simulated_server.ts";
import { present } from "../../support/present.ts";

/** What the Job controller, and others, do to the Jobs of a history. */
export class HistoryJobs {
  /** Whether another client has deleted a Job. */
  interfered = false;
  readonly ended = { succeeded: 0, failed: 0 };
  readonly #server: SimulatedServer;
  readonly #setting: Setting;
  readonly #now: () => EpochMs;
  readonly #ends: { at: EpochMs; name: string; succeeds: boolean }[] = [];

  constructor({ server, setting, now }: { server: SimulatedServer; setting: Setting; now: () => EpochMs }) {
    this.#server = server;
    this.#setting = setting;
    this.#now = now;
  }

  get #cronJob(): CronJobObject {
    return must([...this.#server.cronJobs.values()][0]);
  }

  /** How many runs failed in a row; undefined where two of different outcome ended in one second. */
  get failuresInARow(): number | undefined {
    const ends = this.#ends.toSorted((a, b) => a.at - b.at);
    const second = ({ at }: { at: EpochMs }) => Math.floor(at / 1_000);
    if (
      ends.some((end, i) =>
        i > 0 && second(end) === second(must(ends[i - 1])) && end.succeeds !== must(ends[i - 1]).succeeds
      )
    ) {
      return undefined;
    }
    return ends.length - 1 - ends.findLastIndex(({ succeeds }) => succeeds);
  }

  /** Which Jobs ended, and how. */
  get ends(): readonly { name: string; succeeds: boolean }[] {
    return this.#ends;
  }

  startPod(which: number): void {
    const job = this.#server.unfinished[which];
    if (job && !isEnding(job)) this.setStatus(job, { ...job.status, ready: 1 });
  }

  /** The Job controller fails what is to fail. */
  failEnding(): void {
    for (const job of this.#server.unfinished.filter(isEnding)) {
      assertEquals(job.status!.ready, 0, `${job.metadata.name} was ended although a Pod of it was ready`);
      this.#end(job, false);
    }
  }

  setStatus(job: Job, status: Job["status"]): void {
    this.#server.put("jobs", present({ ...job, status }));
  }

  finish({ which, succeeds }: { which: number; succeeds: boolean }): void {
    const job = this.#server.unfinished[which];
    if (job && !isEnding(job)) this.#end(job, succeeds);
  }

  #end(job: Job, succeeds: boolean): void {
    if (!isBackfill(job)) {
      this.ended[succeeds ? "succeeded" : "failed"]++;
      this.#ends.push({ at: this.#now(), name: job.metadata.name, succeeds });
    }
    this.#server.finish(job, succeeds, this.#now());
  }

  /** Another client deletes a Job that the status has recorded already. */
  delete(which: number): void {
    const job = [...this.#server.jobs.values()][which];
    if (!job) return;
    const slot = parseTime(job.metadata.annotations?.[this.#setting.api.scheduledTimeAnnotation]);
    const told = isBackfill(job)
      ? this.#isToldOf(job, slot!)
      : slot === undefined
      ? readCronJob(this.#setting.api, this.#cronJob).answeredTrigger ===
        job.metadata.annotations?.["cronjob-controller.dev/trigger"]
      : (parseTime(this.#cronJob.status?.lastScheduleTime) ?? 0) >= slot &&
        !readCronJob(this.#setting.api, this.#cronJob).passedOver.some(({ after, before }) =>
          after < slot && slot < before
        );
    if (!told) return;
    this.interfered = true;
    this.#server.remove("jobs", `default/${job.metadata.name}`);
  }

  /** Whether a run of the past lies up to the recorded cursor, or its request is no more. */
  #isToldOf({ metadata }: Job, slot: EpochMs): boolean {
    const recorded = readCronJob(this.#setting.api, this.#cronJob).recordedBackfill;
    if (recorded?.id !== metadata.annotations?.[BACKFILL]) return true;
    const { cursor, active } = recorded!;
    const isActive = active.some(({ uid }) => uid === metadata.uid);
    // The order can't be seen from here: what is active, or the last that was started, is recorded.
    return isActive || slot === cursor;
  }

  /** Jobs whose Pods have been waiting for longer than they may, and that were not ended. */
  waitingTooLong(): string[] {
    const { pendingSeconds } = this.#setting;
    if (pendingSeconds === undefined) return [];
    const since = this.#now() - pendingSeconds * 1_000;
    return this.#server.unfinished.filter((job) => !isEnding(job))
      .filter(({ status }) => status?.ready === 0 && parseTime(status.startTime)! < since)
      .map(({ metadata }) => metadata.name);
  }
}

function isEnding({ status }: Job): boolean {
  return status?.conditions?.some(({ type }) => type === "FailureTarget") ?? false;
}

/** Returns whether a Job belongs to a back-fill. */
export function isBackfill({ metadata }: Job): boolean {
  return metadata.annotations?.[BACKFILL] !== undefined;
}
