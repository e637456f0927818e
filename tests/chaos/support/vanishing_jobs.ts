import { isDeepStrictEqual } from "node:util";
import { TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { TtlController } from "../../../src/job/ttl_controller.ts";
import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { controllerOf, type KubeObject } from "../../../src/kube/object.ts";
import { type Job, JOBS, type Resource } from "../../../src/kube/resource.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { Watcher } from "../../../src/runtime/watcher.ts";
import { completedAt } from "../../support/completed_job.ts";
import { must } from "../../support/expected.ts";
import { waitsInLine } from "../suite/cron_jobs.ts";

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
export class VanishingJobs implements AsyncDisposable {
  readonly jobs: SeenJob[] = [];
  /** To be raised between two controllers. */
  generation = 0;
  readonly #client: HttpKubeClient;
  readonly #cronJobs: readonly string[];
  readonly #byUid = new Map<string, SeenJob>();
  readonly #records = new Map<string, Record[]>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #troubles: unknown[] = [];
  #wake = Promise.withResolvers<void>();

  constructor(client: HttpKubeClient, cronJobs: readonly string[]) {
    this.#client = client;
    this.#cronJobs = cronJobs;
    this.#follow(JOBS, (job, isGone) => this.#sawJob(job, isGone));
    this.#follow(TUTORIAL.resource, (cronJob) => this.#sawCronJob(cronJob));
    this.#running.push(new TtlController({ client, clock: new SystemClock() }).run(this.#stop.signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  /** Waits for something that an event brings about, and looks at it as soon as one came; fails after ten minutes. */
  async until(what: string, condition: () => boolean): Promise<void> {
    const deadline = performance.now() + 600_000;
    while (!condition()) {
      if (this.#troubles.length > 0) throw this.#troubles[0];
      if (performance.now() > deadline) throw new Error(`Not within ten minutes: ${what}`);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const aWhile = new Promise<void>((resolve) => timer = setTimeout(resolve, 1_000));
      await Promise.race([this.#wake.promise, aWhile]);
      clearTimeout(timer);
    }
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
    this.#running.push(this.#complete(job));
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

  async #complete({ metadata: { name, namespace } }: Job): Promise<void> {
    const body = { status: completedAt(new Date().toISOString().replace(/\.\d+/, "")) };
    const { signal } = this.#stop;
    try {
      await this.#client.patch(JOBS, { name, namespace }, { type: "merge", body }, {
        subresource: "status",
        lane: "run",
        signal,
      });
    } catch (error) {
      if (!signal.aborted) this.#troubles.push(error);
    }
  }

  #follow<T extends KubeObject>(resource: Resource<T>, see: (object: T, isGone: boolean) => void): void {
    const watcher = new Watcher({ client: this.#client, clock: new SystemClock(), resource });
    this.#running.push((async () => {
      for await (const event of watcher.events(this.#stop.signal)) {
        if (event.type === "InitPage") { for (const object of event.objects) see(object, false); }
        if (event.type === "Apply" || event.type === "Delete") see(event.object, event.type === "Delete");
        if (event.type === "Error") this.#troubles.push(event.error);
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      }
    })());
  }
}
