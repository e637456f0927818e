import { assert, assertEquals } from "@std/assert";
import { FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../../src/cronjob/controller.ts";
import { controllerOf } from "../../../src/kube/object.ts";
import { EVENTS, type Job, JOBS } from "../../../src/kube/resource.ts";
import { EventRecorder } from "../../../src/runtime/event_recorder.ts";
import { FakeApi } from "../../runtime/support/fake_api.ts";
import { must } from "../../support/expected.ts";
import { QuickClock } from "../../support/quick_clock.ts";
import { type Downtime, MinutesByZone, slotsOf, type SoakCronJob, soakCronJobs, specOf } from "./soak_cronjobs.ts";
import { macrotask } from "../../support/fake_clock.ts";
import { cronJobOf } from "../../support/cron_job.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** After a time without a controller: the Jobs of what is caught up with may hold up what comes next, one after the other. */
const CATCHING_UP_MS = 60 * MINUTE_MS;
const NAMESPACE = "soak";

export interface SoakOptions {
  readonly cronJobs: number;
  /** A whole minute. */
  readonly from: string;
  readonly to: string;
  /** Between two minutes. Then the controllers stop, and new ones begin. */
  readonly downtimes: readonly { readonly from: string; readonly to: string }[];
  /** Called after each day. */
  readonly onDay?: () => void;
}

/**
 * Lets the controllers run many CronJobs for a long time that passes quickly, before an API server in memory; and compares
 * what they start with what has to run: each once, at its minute unless no controller was there, and nothing else. Returns how
 * many runs that were.
 */
export async function soak({ cronJobs: count, from, to, downtimes, onDay }: SoakOptions): Promise<number> {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const stops = downtimes.map((downtime) => ({ from: Date.parse(downtime.from), to: Date.parse(downtime.to) }));
  const minutes = new MinutesByZone(start, end);
  const cronJobs = soakCronJobs(count);
  const judge = new Judge(stops);
  for (const cronJob of cronJobs) judge.expect(cronJob.name, slotsOf(cronJob, minutes, stops));
  const world = new SoakWorld(start, cronJobs, judge);
  world.startControllers();
  try {
    for (let now = start; now < end;) {
      now += MINUTE_MS;
      const stop = stops.find((downtime) => downtime.from >= now - MINUTE_MS && downtime.from < now);
      if (stop) {
        await world.advanceTo(stop.from);
        await world.stopControllers();
        now = Math.ceil(stop.to / MINUTE_MS) * MINUTE_MS;
        await world.advanceTo(stop.to);
        world.startControllers();
      }
      await world.advanceTo(now);
      world.finishJobs();
      if ((now - start) % DAY_MS !== 0) continue;
      await world.forgetPast();
      onDay?.();
    }
  } finally {
    await world.stopControllers();
  }
  return judge.verdict();
}

/** Knows what has to run, and sees every Job. */
class Judge {
  readonly #expected = new Map<string, { slots: Float64Array; started: Uint8Array }>();
  readonly #downtimes: readonly Downtime[];
  readonly #wrong: string[] = [];

  constructor(downtimes: readonly Downtime[]) {
    this.#downtimes = downtimes;
  }

  expect(name: string, slots: readonly number[]): void {
    this.#expected.set(name, { slots: Float64Array.from(slots), started: new Uint8Array(slots.length) });
  }

  created(name: string, slot: number, at: number): void {
    const { slots, started } = this.#expected.get(name)!;
    const index = slots.indexOf(slot);
    const what = `${name} for ${new Date(slot).toISOString()} at ${new Date(at).toISOString()}`;
    if (index < 0) this.#wrong.push(`not to be run: ${what}`);
    else if (started[index]!++ > 0) this.#wrong.push(`run again: ${what}`);
    else if (at !== slot && !this.#downtimes.some(({ from, to }) => slot > from && slot <= to + CATCHING_UP_MS)) {
      this.#wrong.push(`late: ${what}`);
    }
  }

  /** Returns how many runs there had to be. */
  verdict(): number {
    let count = 0;
    for (const [name, { slots, started }] of this.#expected) {
      count += slots.length;
      const never = slots.filter((_, i) => started[i] === 0);
      if (never.length > 0) {
        this.#wrong.push(`never run: ${name} for ${new Date(must(never[0])).toISOString()} and others`);
      }
    }
    assertEquals(this.#wrong.slice(0, 20), [], `${this.#wrong.length} of ${count} runs are wrong`);
    return count;
  }
}

class SoakWorld {
  readonly #api: FakeApi;
  readonly #clock: QuickClock;
  readonly #cronJobs: Map<string, SoakCronJob>;
  readonly #judge: Judge;
  readonly #running: { job: Job; endsAt: number }[] = [];
  #end = new AbortController();
  #controllers: Promise<unknown> = Promise.resolve();

  constructor(start: number, cronJobs: readonly SoakCronJob[], judge: Judge) {
    this.#clock = new QuickClock(start);
    this.#judge = judge;
    this.#cronJobs = new Map(cronJobs.map((cronJob) => [cronJob.name, cronJob]));
    this.#api = new FakeApi(() => this.#clock.now());
    const known = new Set<string>();
    this.#api.onStored = (plural, name, job) => {
      if (plural !== JOBS.plural) return;
      if (job && !known.has(name)) this.#noteJob(job as Job);
      if (job) known.add(name);
      else known.delete(name);
    };
    for (const cronJob of cronJobs) this.#put(cronJob);
  }

  startControllers(): void {
    const client = this.#api;
    const clock = this.#clock;
    const recorder = new EventRecorder({ client, clock, component: "cronjob-controller" });
    const jobs = followChildren({ client, clock, flavours: FLAVOURS });
    const controllers = FLAVOURS.map((flavour) => new CronJobController({ client, clock, flavour, jobs, recorder }));
    this.#end = new AbortController();
    this.#controllers = Promise.all([recorder, ...controllers].map((part) => part.run(this.#end.signal)));
  }

  async stopControllers(): Promise<void> {
    this.#end.abort();
    let isOver = false;
    const over = this.#controllers.finally(() => isOver = true);
    for (let second = 0; !isOver && second < 30; second++) {
      await this.#clock.advance(0);
      await macrotask();
    }
    assert(isOver, "the controllers did not end");
    await over;
  }

  async advanceTo(instant: number): Promise<void> {
    await this.#clock.advance(instant - this.#clock.now());
    // The API server in memory waits for nothing but promises: by now it has answered everything.
    await macrotask();
  }

  /** As their Pods end. */
  finishJobs(): void {
    const now = this.#clock.now();
    const time = new Date(now).toISOString().replace(".000", "");
    let left = 0;
    for (const running of this.#running) {
      if (running.endsAt > now) {
        this.#running[left++] = running;
        continue;
      }
      const { job } = running;
      const { fails } = this.#cronJobs.get(controllerOf(job)!.name)!;
      const condition = {
        type: fails ? "Failed" : "Complete",
        status: "True",
        reason: "Over",
        lastTransitionTime: time,
      };
      // Under Replace it may have been removed.
      if (!this.#api.has(JOBS, job.metadata)) continue;
      this.#api.put(JOBS, { ...job, status: { startTime: time, completionTime: time, conditions: [condition] } });
    }
    this.#running.length = left;
  }

  /** Events go after an hour on a server; here after a day. */
  async forgetPast(): Promise<void> {
    // What the watches have not read yet would be lost to them.
    await macrotask();
    for (const { metadata } of this.#api.all(EVENTS)) this.#api.remove(EVENTS, metadata);
    await macrotask();
    this.#api.compact();
    this.#api.requests.length = 0;
  }

  #noteJob(job: Job): void {
    const { name } = controllerOf(job)!;
    const { flavour, runMinutes } = this.#cronJobs.get(name)!;
    const now = this.#clock.now();
    this.#judge.created(name, Date.parse(must(job.metadata.annotations![flavour.scheduledTimeAnnotation])), now);
    this.#running.push({ job, endsAt: now + runMinutes * MINUTE_MS });
  }

  #put(cronJob: SoakCronJob): void {
    const { flavour, name } = cronJob;
    this.#api.put(flavour.resource, cronJobOf(flavour, { name, namespace: NAMESPACE, ...specOf(cronJob) }));
  }
}
