import { assertEquals } from "@std/assert";
import { readCronJob } from "../../../src/cronjob/api/cron_job.ts";
import { BACKFILL, PAUSE } from "../../../src/cronjob/api/annotations.ts";
import type { BackfillProgress } from "../../../src/cronjob/api/backfill.ts";
import type { BackfillSpec, CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import { apiVersionOf, type Job } from "../../../src/kube/resource.ts";
import type { EventRecord } from "../../../src/runtime/event_recorder.ts";
import { type EpochMs, formatTime, parseTime } from "../../../src/schedule/epoch_ms.ts";
import type { Schedule } from "../../../src/schedule/schedule.ts";
import { ReconcilerDriver } from "./driver.ts";
import type { Action } from "./history_actions.ts";
import type { Setting } from "./history_setting.ts";
import { SimulatedServer } from "./simulated_server.ts";

const SCHEDULES = { 1: ["@every 5s", "@every 7s", "@every 12s"], 60: ["* * * * *", "*/2 * * * *", "@every 90s"] };
const KEY = "default/c";
const START = Date.parse("2026-03-10T09:00:00Z");

/** One life of a CronJob: a controller that dies and comes back, caches that lag, requests that get lost. */
export class History {
  readonly #setting: Setting;
  readonly server: SimulatedServer;
  readonly events: (EventRecord & { readonly at: EpochMs })[] = [];
  /** Scheduled times at which the controller was up, looked, and met no trouble. */
  readonly attended = new Set<EpochMs>();
  edited = false;
  /** Jobs for times from before an edit of the schedule that the controller had seen. */
  readonly fromBeforeEdit: string[] = [];
  /** Somebody else deleted a Job. */
  interfered = false;
  /** The clock was set back: runs then end before those that the records tell of already. */
  wentBack = false;
  readonly ended = { succeeded: 0, failed: 0 };
  /** The clock was set: which times were due can't be said any more. */
  clockWasSet = false;
  #now = START;
  /** How much further ahead the wall clock was set, all in all. */
  #shiftedMs = 0;
  readonly #driver: ReconcilerDriver;
  readonly #ends: { at: EpochMs; name: string; succeeds: boolean }[] = [];
  #triggers = 0;
  #backfills = 0;
  /** Edits of the schedule. */
  readonly #edits: { generation: number; at: EpochMs }[] = [];

  constructor(setting: Setting) {
    this.#setting = setting;
    this.server = new SimulatedServer(() => setting.serverIsRight ? this.#now - this.#shiftedMs : this.#now);
    this.server.put("cronjobs", {
      apiVersion: apiVersionOf(setting.api.resource),
      kind: "CronJob",
      metadata: {
        name: "c",
        namespace: "default",
        uid: "u",
        resourceVersion: "",
        generation: 1,
        creationTimestamp: formatTime(START),
        annotations: setting.annotations,
      },
      spec: { schedule: this.#schedules[0], jobTemplate: { spec: { template: {} } }, ...setting.spec },
    });
    this.server.onCreated = (job) => {
      this.#compareWithEdits(job);
      if (setting.pendingSeconds !== undefined) this.#setStatus(job, { startTime: formatTime(this.#now), ready: 0 });
    };
    this.#driver = new ReconcilerDriver({
      flavour: setting.api,
      server: this.server,
      key: KEY,
      now: () => this.#now,
      monotonic: () => this.#now - this.#shiftedMs,
      prompt: setting.prompt,
      pendingTimeouts: setting.pendingSeconds !== undefined,
      onEvent: (event) => void this.events.push({ ...event, at: this.#now }),
      onReconciled: () => this.#attend(),
    });
  }

  get #schedule(): Schedule {
    const reading = readCronJob(this.#setting.api, this.cronJob).schedule;
    if (reading.kind === "problem") throw new Error(reading.message);
    return reading.schedule.anchoredAt(START);
  }

  get #schedules(): string[] {
    return SCHEDULES[this.#setting.api.nameUnitSeconds as 1 | 60];
  }

  /** How many runs failed in a row; undefined where two of different outcome ended in one second. */
  get failuresInARow(): number | undefined {
    const ends = this.#ends.toSorted((a, b) => a.at - b.at);
    const second = ({ at }: { at: EpochMs }) => Math.floor(at / 1_000);
    if (ends.some((end, i) => i > 0 && second(end) === second(ends[i - 1]) && end.succeeds !== ends[i - 1].succeeds)) {
      return undefined;
    }
    return ends.length - 1 - ends.findLastIndex(({ succeeds }) => succeeds);
  }

  /** Which Jobs ended, and how. */
  get ends(): readonly { name: string; succeeds: boolean }[] {
    return this.#ends;
  }

  get wasTriggered(): boolean {
    return this.#triggers > 0;
  }

  get now(): EpochMs {
    return this.#now;
  }

  /** What a second of an action lasts: longer where runs are minutes apart. */
  get scale(): number {
    return this.#setting.api.nameUnitSeconds === 1 ? 1000 : 10_000;
  }

  get cronJob(): CronJobObject {
    return this.server.cronJobs.get(KEY)!;
  }

  async act(action: Action): Promise<void> {
    switch (action.do) {
      case "wait":
        await this.#wait(action.seconds * this.scale);
        break;
      case "deliver":
        (action.what === "jobs" ? this.#driver.jobs : this.#driver.cronJobs).deliver(action.count);
        break;
      case "finish":
        this.#finish(action);
        break;
      case "delete":
        this.#deleteJob(action.which);
        break;
      case "fate":
        this.#driver.fates.push(...action.fates);
        break;
      case "crash":
        this.#now += action.downSeconds * this.scale;
        this.#driver.boot();
        break;
      case "handOver":
        await this.#driver.takeOver(() => this.#now += action.downSeconds * this.scale, action.fates);
        break;
      case "edit":
        this.#editSpec({ schedule: this.#schedules[action.schedule] });
        break;
      case "suspend":
        this.#editSpec({ suspend: action.suspend });
        break;
      case "pause":
        this.#pause(action.seconds);
        break;
      case "trigger":
        this.#annotate({ "cronjob-controller.dev/trigger": String(++this.#triggers) });
        break;
      case "backfill":
        this.#ask(action);
        break;
      case "ready":
        this.#startPod(action.which);
        break;
      case "burst":
        this.#driver.isBurst = action.lasts;
        break;
      case "setClock":
        this.#setClock(action.seconds * this.scale);
        break;
      case "wrongClock":
        await this.#letClockBeWrong(action);
        break;
    }
    this.#failEnding();
    if (this.#setting.prompt) this.#driver.deliverAll();
    await this.#driver.work();
  }

  #pause(seconds: Extract<Action, { do: "pause" }>["seconds"]): void {
    this.edited = true;
    const until = typeof seconds === "number" ? formatTime(this.#now + seconds * this.scale) : undefined;
    this.#annotate({ [PAUSE]: seconds === "no more" ? undefined : JSON.stringify({ by: "ana", until }) });
  }

  #startPod(which: number): void {
    const job = [...this.server.jobs.values()].filter((job) => !this.server.isFinished(job))[which];
    if (job && !isEnding(job)) this.#setStatus(job, { ...job.status, ready: 1 });
  }

  /** The Job controller fails what is to fail. */
  #failEnding(): void {
    for (const job of [...this.server.jobs.values()].filter((job) => isEnding(job) && !this.server.isFinished(job))) {
      assertEquals(job.status!.ready, 0, `${job.metadata.name} was ended although a Pod of it was ready`);
      this.#end(job, false);
    }
  }

  #setStatus(job: Job, status: Job["status"]): void {
    this.server.put("jobs", { ...job, status });
  }

  /** Jobs whose Pods have been waiting for longer than they may, and that were not ended. */
  waitingTooLong(): string[] {
    const { pendingSeconds } = this.#setting;
    if (pendingSeconds === undefined) return [];
    const since = this.#now - pendingSeconds * 1_000;
    return [...this.server.jobs.values()].filter((job) => !this.server.isFinished(job) && !isEnding(job))
      .filter(({ status }) => status?.ready === 0 && parseTime(status.startTime)! < since)
      .map(({ metadata }) => metadata.name);
  }

  /** Nothing more goes wrong: everything arrives, and the controller works until nothing is left to do. */
  async settle(): Promise<void> {
    this.#driver.fates = [];
    this.#driver.isBurst = false;
    for (let round = 0; round < 50; round++) {
      const before = this.server.requests.length;
      this.#driver.deliverAll();
      this.#driver.wake();
      await this.#driver.work();
      const { jobs, cronJobs } = this.#driver;
      if (this.server.requests.length === before && jobs.behind === 0 && cronJobs.behind === 0) return;
    }
    throw new Error("The controller never comes to rest");
  }

  /** After one more instant, all that is left to do must have been asked for by what was heard, or by its own next instant. */
  async checkRest(): Promise<void> {
    if (this.#driver.wakeAt === undefined) return;
    this.#now = Math.max(this.#now, this.#driver.wakeAt);
    await this.#driver.wakeUp();
    const { jobs, cronJobs } = this.#driver;
    while (jobs.behind > 0 || cronJobs.behind > 0) {
      this.#driver.deliverAll();
      await this.#driver.work();
    }
    const before = { requests: this.server.requests.length, wakeAt: this.#driver.wakeAt };
    this.#driver.wake();
    await this.#driver.work();
    const after = { requests: this.server.requests.length, wakeAt: this.#driver.wakeAt };
    assertEquals(after, before, "Something was left to do that nothing had asked for");
  }

  async #wait(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#driver.work();
    for (let at = this.#driver.wakeAt; at !== undefined && at <= end; at = this.#driver.wakeAt) {
      this.#now = Math.max(this.#now, at);
      await this.#driver.wakeUp();
    }
    this.#now = end;
  }

  async #letClockBeWrong({ aheadSeconds, forSeconds, restarts }: Extract<Action, { do: "wrongClock" }>): Promise<void> {
    this.#setClock(aheadSeconds * this.scale);
    if (restarts.includes("ahead")) this.#driver.boot();
    // What waits for an instant of the wrong clock is looked at again, as the controller does when it sees that.
    this.#driver.wake();
    await this.#wait(forSeconds * this.scale);
    this.#setClock(-aheadSeconds * this.scale);
    if (restarts.includes("right")) this.#driver.boot();
    this.#driver.wake();
  }

  #setClock(ms: number): void {
    if (ms < 0) this.wentBack = true;
    this.attended.clear();
    this.#driver.wake();
    const to = Math.max(START, this.#now + ms);
    this.#shiftedMs += to - this.#now;
    this.#now = to;
    this.clockWasSet = true;
  }

  #attend(): void {
    const slot = this.#schedule.previous(this.#now + 1);
    if (slot === undefined || slot <= START || this.#now - slot >= 1000) return;
    // What clocks may differ by holds back until it has passed.
    const { lastScheduleTime, recentRuns = [] } = this.cronJob.status ?? {};
    const decided = [lastScheduleTime, ...recentRuns.map(({ scheduledTime }) => scheduledTime)].map(parseTime);
    const isHeldBack = decided.some((time = 0) => time > this.#now && time <= this.#now + 60_000);
    if (!isHeldBack) this.attended.add(slot);
  }

  #finish({ which, succeeds }: { which: number; succeeds: boolean }): void {
    const running = [...this.server.jobs.values()].filter((job) => !this.server.isFinished(job));
    const job = running[which];
    if (job && !isEnding(job)) this.#end(job, succeeds);
  }

  #end(job: Job, succeeds: boolean): void {
    if (!isBackfill(job)) {
      this.ended[succeeds ? "succeeded" : "failed"]++;
      this.#ends.push({ at: this.#now, name: job.metadata.name, succeeds });
    }
    const time = formatTime(this.#now);
    this.server.put("jobs", {
      ...job,
      status: {
        ...job.status,
        startTime: job.metadata.creationTimestamp,
        ...(succeeds && { completionTime: time }),
        conditions: [{ type: succeeds ? "Complete" : "Failed", status: "True", lastTransitionTime: time }],
      },
    });
  }

  /** Somebody deletes a Job that the status tells about already. */
  #deleteJob(which: number): void {
    const job = [...this.server.jobs.values()][which];
    if (!job) return;
    const slot = parseTime(job.metadata.annotations?.[this.#setting.api.scheduledTimeAnnotation]);
    const told = isBackfill(job)
      ? this.#isToldOf(job, slot!)
      : slot === undefined
      ? readCronJob(this.#setting.api, this.cronJob).answeredTrigger ===
        job.metadata.annotations?.["cronjob-controller.dev/trigger"]
      : (parseTime(this.cronJob.status?.lastScheduleTime) ?? 0) >= slot &&
        !readCronJob(this.#setting.api, this.cronJob).passedOver.some(({ after, before }) =>
          after < slot && slot < before
        );
    if (!told) return;
    this.interfered = true;
    this.server.remove("jobs", `default/${job.metadata.name}`);
  }

  /** Whether a run of the past lies up to the recorded cursor, or its request is no more. */
  #isToldOf({ metadata }: Job, slot: EpochMs): boolean {
    const recorded = this.recordedBackfill;
    if (recorded?.id !== metadata.annotations?.[BACKFILL]) return true;
    const { cursor, active } = recorded!;
    const isActive = active.some(({ uid }) => uid === metadata.uid);
    // The order can't be seen from here: what is active, or the last that was started, is recorded.
    return isActive || slot === cursor;
  }

  #editSpec(spec: Partial<CronJobSpec>, { isOfSchedule = true } = {}): void {
    if (isOfSchedule) this.edited = true;
    const { cronJob } = this;
    if (spec.schedule !== undefined && spec.schedule !== cronJob.spec.schedule) {
      // A closed status tells of no schedule, and its flavour starts what came due before an edit that nobody saw.
      const observed = this.#setting.api.openStatus ? cronJob.status?.schedule?.text : spec.schedule;
      // Back to what the status tells of: to the controller nothing has changed.
      const at = spec.schedule === observed ? -Infinity : this.#now;
      this.#edits.push({ generation: cronJob.metadata.generation! + 1, at });
    }
    this.server.put("cronjobs", {
      ...cronJob,
      metadata: {
        ...cronJob.metadata,
        generation: cronJob.metadata.generation! + 1,
        managedFields: [...cronJob.metadata.managedFields?.filter(({ subresource }) => subresource) ?? [], {
          manager: "kubectl",
          operation: "Update",
          time: formatTime(this.#now),
          fieldsV1: { "f:spec": isOfSchedule ? { "f:schedule": {}, "f:suspend": {} } : { "f:backfill": {} } },
        }],
      },
      spec: JSON.parse(JSON.stringify({ ...cronJob.spec, ...spec })),
    });
  }

  #compareWithEdits(job: Job): void {
    const slot = parseTime(job.metadata.annotations?.[this.#setting.api.scheduledTimeAnnotation]);
    const seen = this.#driver.cronJobs.get(KEY)!.metadata.generation!;
    const edit = this.#edits.findLast(({ generation }) => generation <= seen);
    // Times of an edit are told in whole seconds.
    if (slot !== undefined && edit && slot <= Math.floor(edit.at / 1000) * 1000) {
      this.fromBeforeEdit.push(`${formatTime(slot)}, edited at ${formatTime(edit.at)}`);
    }
  }

  #ask({ agoSeconds, lengthSeconds, more }: Extract<Action, { do: "backfill" }>): void {
    const from = this.#now - agoSeconds * this.scale;
    const to = from + lengthSeconds * this.scale;
    const asked: BackfillSpec | undefined = lengthSeconds === 0
      ? undefined
      : { id: String(++this.#backfills), from: formatTime(from), to: formatTime(to), ...more };
    if (this.#setting.api.extrasIn === "spec") this.#editSpec({ backfill: asked }, { isOfSchedule: false });
    else this.#annotate({ [BACKFILL]: asked && JSON.stringify(asked) });
  }

  #annotate(annotations: Record<string, string | undefined>): void {
    const { cronJob } = this;
    this.server.put("cronjobs", {
      ...cronJob,
      metadata: {
        ...cronJob.metadata,
        annotations: JSON.parse(JSON.stringify({ ...cronJob.metadata.annotations, ...annotations })),
      },
    });
  }

  get recordedBackfill(): BackfillProgress | undefined {
    return readCronJob(this.#setting.api, this.cronJob).recordedBackfill;
  }

  /** The runs of the past that have, or had, a Job; in the order of creation. */
  backfilledSlots(): { readonly id: string; readonly slot: EpochMs; readonly name: string }[] {
    const { scheduledTimeAnnotation } = this.#setting.api;
    return this.server.created.map(({ job: { metadata } }) => ({
      id: metadata.annotations?.[BACKFILL]!,
      slot: parseTime(metadata.annotations?.[scheduledTimeAnnotation])!,
      name: metadata.name,
    })).filter(({ id }) => id !== undefined);
  }

  /** The scheduled times that have, or had, a Job; in the order of creation. */
  startedSlots(): EpochMs[] {
    const { scheduledTimeAnnotation } = this.#setting.api;
    return this.server.created.filter(({ job }) => !isBackfill(job))
      .map(({ job }) => parseTime(job.metadata.annotations?.[scheduledTimeAnnotation]))
      .filter((slot) => slot !== undefined);
  }

  /** Whether a time is still to come by more than clocks differ, so that only its Job or a record tells of it. */
  isFarAhead(slot: EpochMs): boolean {
    return slot > this.#now + 60_000 && slot > (parseTime(this.cronJob.status?.lastScheduleTime) ?? 0);
  }

  dueSlots(): EpochMs[] {
    return [...this.#schedule.between(START, this.#now)];
  }

  /** The scheduled times that an Event or, at any time, the status told to be refused or waiting. */
  toldSlots(): Set<EpochMs> {
    const refusals = ["MissSchedule", "JobAlreadyActive", "JobQueued", "FailedCreate", "TooManyMissedTimes"];
    const events = this.events.filter(({ reason }) => refusals.includes(reason)).map(({ scheduledTime }) =>
      scheduledTime
    );
    const statuses = this.server.changes.cronjobs.map(({ object }) => (object as CronJobObject).status);
    const records = statuses.flatMap((status) => [
      status?.queuedScheduleTime,
      ...status?.recentRuns?.map(({ scheduledTime }) => scheduledTime) ?? [],
    ]);
    return new Set([...events, ...records.map(parseTime)].filter((slot) => slot !== undefined));
  }
}

function isEnding({ status }: Job): boolean {
  return status?.conditions?.some(({ type }) => type === "FailureTarget") ?? false;
}

/** Returns whether a Job belongs to a back-fill. */
export function isBackfill({ metadata }: Job): boolean {
  return metadata.annotations?.[BACKFILL] !== undefined;
}
