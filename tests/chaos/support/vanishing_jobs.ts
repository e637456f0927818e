import { isDeepStrictEqual } from "node:util";
import { TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { TtlController } from "../../../src/job/ttl_controller.ts";
import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { controllerOf } from "../../../src/kube/object.ts";
import { type Job, JOBS } from "../../../src/kube/resource.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { must } from "../../support/expected.ts";
import { waitsInLine } from "../suite/cron_jobs.ts";
import { Witness } from "./witness.ts";

/** A Job that was there; versions are the API server's, which put all that happened into one order. */
export interface SeenJob {
  readonly cronJob: string;
  readonly slot: number;
  readonly createdVersion: number;
  /** Of the controllers, one after another: which made it. */
  readonly generation: number;
  readonly seenAt: number;
  goneVersion?: number;
}

/** A status that says more than the one before it of which slots were started. */
interface Record {
  readonly lastSlot: number;
  readonly status: CronJobObject["status"];
  readonly version: number;
  readonly seenAt: number;
}

/** Jobs that end at once, and that a TTL of 0 deletes as soon as they have; and all that was seen of them and of CronJobs. */
export class VanishingJobs extends Witness {
  readonly jobs: SeenJob[] = [];
  /** To be raised between two controllers. */
  generation = 0;
  readonly #cronJobs: readonly string[];
  readonly #byUid = new Map<string, SeenJob>();
  readonly #records = new Map<string, Record[]>();

  constructor(client: HttpKubeClient, cronJobs: readonly string[]) {
    super(client);
    this.#cronJobs = cronJobs;
    this.follow(JOBS, (job, isGone) => this.#sawJob(job, isGone));
    this.follow(TUTORIAL.resource, (cronJob) => this.#sawCronJob(cronJob));
    this.run((signal) => new TtlController({ client, clock: new SystemClock() }).run(signal));
  }

  /** Whether each CronJob has a run since then, and all runs are recorded. */
  hasRecordedSince(time: number): boolean {
    const isRecorded = (name: string) =>
      this.lastRecorded(name) >= time && !this.#records.get(name)?.at(-1)?.status?.waiting;
    return this.#cronJobs.every(isRecorded) && this.unrecorded().length === 0;
  }

  unrecorded(): SeenJob[] {
    return this.jobs.filter((job) => this.recordOf(job) === undefined);
  }

  recordOf({ cronJob, slot }: SeenJob): Record | undefined {
    return this.#records.get(cronJob)?.find(({ lastSlot, status }) => lastSlot >= slot && !waitsInLine(status, slot));
  }

  lastRecorded(cronJob: string): number {
    return this.#records.get(cronJob)?.at(-1)?.lastSlot ?? -Infinity;
  }

  #sawJob(job: Job, isGone: boolean): void {
    const { uid, resourceVersion, annotations } = job.metadata;
    const known = this.#byUid.get(uid);
    if (known && isGone) known.goneVersion = Number(resourceVersion);
    if (known || isGone) return;
    const seen: SeenJob = {
      cronJob: controllerOf(job)!.name,
      slot: Date.parse(must(annotations![TUTORIAL.scheduledTimeAnnotation])),
      createdVersion: Number(resourceVersion),
      generation: this.generation,
      seenAt: performance.now(),
    };
    this.#byUid.set(uid, seen);
    this.jobs.push(seen);
    this.complete(job);
  }

  #sawCronJob({ metadata: { name, resourceVersion }, status }: CronJobObject): void {
    const lastSlot = Date.parse(status?.lastScheduleTime ?? "");
    const records = this.#records.get(name) ?? [];
    const { status: before } = records.at(-1) ?? {};
    const isNews = lastSlot > this.lastRecorded(name) || !isDeepStrictEqual(status?.waiting, before?.waiting);
    if (Number.isNaN(lastSlot) || !isNews) return;
    this.#records.set(name, records);
    records.push({ lastSlot, status, version: Number(resourceVersion), seenAt: performance.now() });
  }
}
