import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import { type Child, readJob } from "../../../src/cronjob/api/job.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { isAmong } from "../../../src/cronjob/decision/stretches.ts";
import { type EpochMs, formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import { applied } from "../../../src/simulate/apply.ts";
import type { DoneRuns } from "../../../src/simulate/runs.ts";
import { simulate } from "../../../src/simulate/simulator.ts";
import { ReconcilerDriver } from "../../cronjob/support/driver.ts";
import { SimulatedServer } from "../../cronjob/support/simulated_server.ts";
import type { World } from "./worlds.ts";
import { allRuns } from "./all_runs.ts";
import { storedCronJob } from "../../cronjob/support/stored_cron_job.ts";

/** What happened in a span, in words that can be compared. */
export interface Told {
  /** When each run started, and for which time. */
  readonly starts: string[];
  /** Times that got no Job, and why not. */
  readonly refused: string[];
  /** Runs that were ended for a later one, and when. */
  readonly replaced: string[];
}

interface Mark {
  readonly created: number;
  readonly changes: number;
}

const KEY = "default/c";

/** A controller at work on a CronJob, on a clock of its own. */
class Controlled {
  readonly server: SimulatedServer;
  readonly #world: World;
  readonly #driver: ReconcilerDriver;
  readonly #events: { reason: string; scheduledTime: EpochMs }[] = [];
  readonly #removedAt = new Map<string, EpochMs>();
  #now: EpochMs;

  constructor(world: World) {
    const { flavour, spec, annotations, createdAt, isTriggered } = world;
    this.#world = world;
    this.#now = createdAt;
    this.server = new SimulatedServer(() => this.#now);
    this.server.onCreated = (job) => this.server.put("jobs", { ...job, status: { startTime: formatTime(this.#now) } });
    const trigger: Record<string, string> = isTriggered ? { "cronjob-controller.dev/trigger": "now" } : {};
    this.server.put(
      "cronjobs",
      storedCronJob(flavour, { createdAt, annotations: { ...annotations, ...trigger }, spec }),
    );
    this.#driver = new ReconcilerDriver({
      flavour,
      server: this.server,
      key: KEY,
      now: () => this.#now,
      prompt: true,
      beforeRequest: () => {
        this.#noteRemoved();
        return Promise.resolve();
      },
      onEvent: ({ reason, scheduledTime }) => {
        if (scheduledTime !== undefined) this.#events.push({ reason, scheduledTime });
      },
    });
  }

  get cronJob(): CronJobObject {
    return this.server.cronJobs.get(KEY)!;
  }

  async work(): Promise<void> {
    this.#driver.deliverAll();
    await this.#driver.work();
  }

  /** Lets time pass in which no controller is there, and Jobs end. */
  stayAway(ms: number): void {
    this.#now += ms;
    this.#endJobs();
  }

  async restart(): Promise<void> {
    this.#driver.boot();
    await this.work();
  }

  edit(object: CronJobObject): void {
    this.server.put("cronjobs", object);
  }

  async runUntil(end: EpochMs): Promise<void> {
    await this.work();
    for (;;) {
      const ends = this.#activeEnds().map(({ endsAt }) => endsAt);
      const at = Math.min(this.#driver.wakeAt ?? Infinity, ...ends);
      if (at >= end) break;
      this.#now = Math.max(this.#now, at);
      this.#endJobs();
      if (this.#driver.wakeAt !== undefined && this.#driver.wakeAt <= this.#now) {
        this.#driver.deliverAll();
        await this.#driver.wakeUp();
      }
      await this.work();
    }
    this.#now = end;
  }

  get now(): EpochMs {
    return this.#now;
  }

  /** Says how much has happened so far. */
  mark(): Mark {
    return { created: this.server.created.length, changes: this.server.changes.jobs.length };
  }

  /** What happened from an instant on, after so much had happened. */
  told(from: EpochMs, before: Mark): Told {
    const started = new Set(this.server.created.map(({ job }) => this.#slotOf(job)));
    const since = this.server.created.slice(before.created);
    const records = this.server.changes.cronjobs.flatMap(({ object }) =>
      (object as CronJobObject).status?.recentRuns ?? []
    );
    const told = this.#events.filter(({ reason }) => reason === "JobAlreadyActive" || reason === "MissSchedule");
    // No Event says so of these.
    const superseded = records.filter(({ reason }) => reason === "Superseded")
      .map(({ scheduledTime }) => ({ scheduledTime: parseTime(scheduledTime), reason: "Superseded" }));
    const refused = [...told, ...superseded];
    const { waiting } = readCronJob(this.#world.flavour, this.cronJob);
    const first = new Map<EpochMs, string>();
    for (const { scheduledTime, reason } of refused) {
      if (scheduledTime === undefined || started.has(scheduledTime) || isAmong(waiting, scheduledTime)) continue;
      if (reason === "Superseded" || !first.has(scheduledTime)) first.set(scheduledTime, reason);
    }
    return {
      starts: since.map(({ job, at }) => startText(this.#slotOf(job), at)).sort(),
      refused: [...first].filter(([time]) => time > from).map(([time, reason]) => `${formatTime(time)} ${reason}`)
        .sort(),
      replaced: this.#replaced(before),
    };
  }

  /** Jobs that were deleted before they had ended. */
  #replaced({ changes }: Mark): string[] {
    const texts = this.server.changes.jobs.slice(changes).flatMap(({ type, object }) => {
      const removed = this.#removedAt.get(object.metadata.uid);
      if (type !== "deleted" || removed === undefined || this.server.isFinished(object as Job)) {
        return [];
      }
      return [
        `${startText(this.#slotOf(object as Job), parseTime(object.metadata.creationTimestamp)!)} until ${
          formatTime(removed)
        }`,
      ];
    });
    return texts.sort();
  }

  #slotOf({ metadata }: Job): EpochMs | undefined {
    return parseTime(metadata.annotations?.[this.#world.flavour.scheduledTimeAnnotation]);
  }

  #noteRemoved(): void {
    for (const { type, object } of this.server.changes.jobs) {
      const { uid } = object.metadata;
      if (type === "deleted" && !this.#removedAt.has(uid)) this.#removedAt.set(uid, this.#now);
    }
  }

  #activeEnds(): { job: Job; endsAt: EpochMs }[] {
    return [...this.server.jobs.values()].filter((job) => !this.server.isFinished(job)).map((job) => ({
      job,
      endsAt: parseTime(job.metadata.creationTimestamp)! + this.#world.durationMs,
    }));
  }

  #endJobs(): void {
    for (const { job, endsAt } of this.#activeEnds()) {
      if (endsAt <= this.#now) this.server.finish(job, true, endsAt);
    }
  }
}

function startText(slot: EpochMs | undefined, at: EpochMs): string {
  return `${formatTime(at)} for ${slot === undefined ? "somebody" : formatTime(slot)}`;
}

/** What is simulated of a world, and what the controller then does there. */
export async function lived(world: World): Promise<{ done: Told; simulated: Told }> {
  const { flavour, createdAt, durationMs, lifeMs, downMs, edit, spanMs } = world;
  const controlled = new Controlled(world);
  if (lifeMs > 0) await controlled.runUntil(createdAt + lifeMs);
  const isDown = lifeMs > 0 && downMs > 0;
  controlled.stayAway(isDown ? downMs : 0);
  // A controller that is at work sees the edit.
  if (isDown && edit) await controlled.restart();
  const jobs = [...controlled.server.jobs.values()].map((job) => readJob([flavour], structuredClone(job)));
  const before = controlled.mark();
  let cronJob = readCronJob(flavour, structuredClone(controlled.cronJob));
  let facts = {};
  const begin = createdAt + lifeMs + (isDown ? downMs : 0);
  if (edit && lifeMs > 0) {
    const spec = { jobTemplate: cronJob.object.spec.jobTemplate, ...edit };
    const manifest = readCronJob(flavour, { ...cronJob.object, spec } as CronJobObject);
    ({ cronJob, facts } = applied(cronJob, manifest, begin));
    controlled.edit(structuredClone(cronJob.object) as CronJobObject);
  } else if (isDown) await controlled.restart();

  const span = { from: begin, to: begin + spanMs };
  const runs = await simulate({ cronJob, jobs, facts, durationMs }, span);
  await controlled.runUntil(span.to);
  return { done: controlled.told(begin, before), simulated: toldOf(runs, begin, jobs) };
}

function toldOf(done: DoneRuns, begin: EpochMs, jobs: readonly Child[]): Told {
  const before = new Set(jobs.map(({ createdAt, scheduledTime }) => startText(scheduledTime, createdAt!)));
  const all = allRuns(done);
  return {
    starts: all.map(({ scheduledTime, startsAt }) => startText(scheduledTime, startsAt))
      .filter((text) => !before.has(text)).sort(),
    refused: done.refused.filter(({ scheduledTime }) => scheduledTime > begin)
      .map(({ scheduledTime, reason }) => `${formatTime(scheduledTime)} ${reason}`).sort(),
    replaced: all.filter(({ isReplaced }) => isReplaced)
      .map(({ scheduledTime, startsAt, endsAt }) => `${startText(scheduledTime, startsAt)} until ${formatTime(endsAt)}`)
      .sort(),
  };
}
