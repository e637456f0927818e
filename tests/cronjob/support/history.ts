import { assertEquals } from "@std/assert";
import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import { BACKFILL, PAUSE } from "../../../src/cronjob/api/annotations.ts";
import type { BackfillProgress } from "../../../src/cronjob/api/backfill.ts";
import type { BackfillSpec } from "../../../src/cronjob/api/spec_fields.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import type { Job } from "../../../src/kube/resource.ts";
import type { EventRecord } from "../../../src/runtime/event_recorder.ts";
import { type EpochMs, formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import type { Schedule } from "../../../src/schedule/schedule.ts";
import { must } from "../../support/expected.ts";
import { ReconcilerDriver } from "./driver.ts";
import type { Action } from "./history_actions.ts";
import { HistoryJobs } from "./history_jobs.ts";
import type { Setting } from "./history_setting.ts";
import { type Edit, SimulatedServer } from "./simulated_server.ts";
import { storedCronJob } from "./stored_cron_job.ts";

const SCHEDULES = { 1: ["@every 5s", "@every 7s", "@every 12s"], 60: ["* * * * *", "*/2 * * * *", "@every 90s"] };
const KEY = "default/c";
const START = Date.parse("2026-03-10T09:00:00Z");

/** One life of a CronJob: a controller that dies and comes back, caches that lag, requests that get lost. */
export class History {
  readonly setting: Setting;
  readonly server: SimulatedServer;
  readonly jobs: HistoryJobs;
  readonly events: (EventRecord & { readonly at: EpochMs })[] = [];
  /** Scheduled times at which the controller was up, looked, and met no trouble. */
  readonly attended = new Set<EpochMs>();
  edited = false;
  /** Jobs for times from before an edit of the schedule that the controller had seen. */
  readonly fromBeforeEdit: string[] = [];
  /** The clock was set back: runs then end before those that the records have already. */
  wentBack = false;
  /** The clock was set: which times were due can't be said any more. */
  clockWasSet = false;
  #now = START;
  /** How much further ahead the wall clock was set, all in all. */
  #shiftedMs = 0;
  readonly #driver: ReconcilerDriver;
  #triggers = 0;
  #backfills = 0;
  /** Edits of the schedule. */
  readonly #edits: { generation: number; at: EpochMs }[] = [];

  constructor(setting: Setting) {
    this.setting = setting;
    this.server = new SimulatedServer(() => setting.serverIsRight ? this.#now - this.#shiftedMs : this.#now);
    this.jobs = new HistoryJobs({ server: this.server, setting, now: () => this.#now });
    const spec = { schedule: must(this.#schedules[0]), ...setting.spec };
    this.server.put(
      "cronjobs",
      storedCronJob(setting.api, { createdAt: START, annotations: setting.annotations, spec }),
    );
    this.server.onCreated = (job) => {
      this.#compareWithEdits(job);
      if (setting.pendingSeconds !== undefined) {
        this.jobs.setStatus(job, { startTime: formatTime(this.#now), ready: 0 });
      }
    };
    this.#driver = new ReconcilerDriver({
      flavour: setting.api,
      server: this.server,
      key: KEY,
      now: () => this.#now,
      monotonic: () => this.#now - this.#shiftedMs,
      prompt: setting.prompt,
      isOurs: setting.isOurs,
      beforeRequest: setting.beforeRequest,
      onEvent: (event) => void this.events.push({ ...event, at: this.#now }),
      // Where another controller works on it, none of them attends to every time.
      ...setting.isOurs === undefined && { onReconciled: () => this.#attend() },
    });
  }

  get #schedule(): Schedule {
    const reading = readCronJob(this.setting.api, this.cronJob).schedule;
    if (reading.kind === "problem") throw new Error(reading.message);
    return reading.schedule.anchoredAt(START);
  }

  get #schedules(): string[] {
    return SCHEDULES[this.setting.api.nameUnitSeconds as 1 | 60];
  }

  get wasTriggered(): boolean {
    return this.#triggers > 0;
  }

  get now(): EpochMs {
    return this.#now;
  }

  /** What a second of an action lasts: longer where runs are minutes apart. */
  get scale(): number {
    return this.setting.api.nameUnitSeconds === 1 ? 1000 : 10_000;
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
        this.jobs.finish(action);
        break;
      case "delete":
        this.jobs.delete(action.which);
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
        this.jobs.startPod(action.which);
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
    this.jobs.failEnding();
    if (this.setting.prompt) this.#driver.deliverAll();
    await this.#driver.work();
  }

  #pause(seconds: Extract<Action, { do: "pause" }>["seconds"]): void {
    this.edited = true;
    const until = typeof seconds === "number" ? formatTime(this.#now + seconds * this.scale) : undefined;
    this.#annotate({ [PAUSE]: seconds === "no more" ? null : JSON.stringify({ by: "ana", until }) });
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

  #editSpec(spec: NonNullable<Edit["spec"]>, { isOfSchedule = true } = {}): void {
    if (isOfSchedule) this.edited = true;
    const { cronJob } = this;
    if (spec.schedule !== undefined && spec.schedule !== cronJob.spec.schedule) {
      // A closed status has no schedule, and its flavour starts what came due before an edit that went unseen.
      const observed = this.setting.api.openStatus ? cronJob.status?.schedule?.text : spec.schedule;
      // Back to what the status has: to the controller nothing has changed.
      const at = spec.schedule === observed ? -Infinity : this.#now;
      this.#edits.push({ generation: cronJob.metadata.generation! + 1, at });
    }
    const written = {
      manager: "kubectl",
      operation: "Update",
      time: formatTime(this.#now),
      fieldsV1: { "f:spec": isOfSchedule ? { "f:schedule": {}, "f:suspend": {} } : { "f:backfill": {} } },
    };
    const others = cronJob.metadata.managedFields?.filter(({ subresource }) => subresource) ?? [];
    this.server.edit(KEY, { spec, metadata: { managedFields: [...others, written] } });
  }

  #compareWithEdits(job: Job): void {
    const slot = parseTime(job.metadata.annotations?.[this.setting.api.scheduledTimeAnnotation]);
    const seen = this.#driver.cronJobs.get(KEY)!.metadata.generation!;
    const edit = this.#edits.findLast(({ generation }) => generation <= seen);
    // Times of an edit are written in whole seconds.
    if (slot !== undefined && edit && slot <= Math.floor(edit.at / 1000) * 1000) {
      this.fromBeforeEdit.push(`${formatTime(slot)}, edited at ${formatTime(edit.at)}`);
    }
  }

  #ask({ agoSeconds, lengthSeconds, more }: Extract<Action, { do: "backfill" }>): void {
    const from = this.#now - agoSeconds * this.scale;
    const to = from + lengthSeconds * this.scale;
    const asked: BackfillSpec | null = lengthSeconds === 0
      ? null
      : { id: String(++this.#backfills), from: formatTime(from), to: formatTime(to), ...more };
    if (this.setting.api.extrasIn === "spec") this.#editSpec({ backfill: asked }, { isOfSchedule: false });
    else this.#annotate({ [BACKFILL]: asked && JSON.stringify(asked) });
  }

  #annotate(annotations: Record<string, string | null>): void {
    this.server.edit(KEY, { metadata: { annotations } });
  }

  get recordedBackfill(): BackfillProgress | undefined {
    return readCronJob(this.setting.api, this.cronJob).recordedBackfill;
  }

  dueSlots(): EpochMs[] {
    return [...this.#schedule.between(START, this.#now)];
  }
}
