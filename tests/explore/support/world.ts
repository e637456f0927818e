import { setImmediate } from "node:timers";
import { type Flavour, PRODUCTION } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import type { KubeObject, Unstored } from "../../../src/kube/object.ts";
import { type Job, JOBS, type Resource } from "../../../src/kube/resource.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";
import { UnreachableError } from "../../../src/kube/unreachable_error.ts";
import { storedCronJob } from "../../cronjob/support/stored_cron_job.ts";
import { ControllerProcess } from "./controller_process.ts";
import { digestOf } from "./digest.ts";
import { ExploredApi } from "./explored_api.ts";
import { type Message, ProcessClient } from "./process_client.ts";
import { ProcessClock, VirtualTime } from "./virtual_time.ts";

/** The surroundings of one run. */
export interface Setting {
  readonly policy: "Allow" | "Forbid";
  /** How far the wall clock of the second controller is ahead of the other. */
  readonly skewMs: number;
  /** How long Jobs run. */
  readonly jobMs: number;
  readonly spec?: Partial<CronJobSpec>;
}

/** A message on its way that others have overtaken. */
export interface Held {
  readonly message: Message;
  readonly heldAt: EpochMs;
}

/** A Job that was created. */
export interface CreatedJob {
  readonly job: Job;
  readonly slot: EpochMs;
  readonly at: EpochMs;
  /** How long its creation was held up on its way; undefined where it was not. */
  readonly lateMs: number | undefined;
}

/** A promise that was broken. */
export interface Violation {
  readonly what: string;
  /** The hole that `docs/why.md` states; undefined for a fault of the program. */
  readonly hole?: Hole;
}

/** The ways in which a scheduled time can start twice: its Job has been deleted by another client, and … */
export type Hole =
  /** … the process that created it died before the status had its time. */
  | "crash"
  /** … the answer to its creation was lost. */
  | "lost answer"
  /** … a creation that was held up arrives. */
  | "late request";

const START = Date.parse("2026-03-10T09:00:00Z");
const SLOT_MS = 20_000;
/** When the controllers start. */
const BOOT = START + 12_000;
/** The first two scheduled times, and some seconds before and after. */
const WINDOW = { from: START + SLOT_MS - 2_000, to: START + 2 * SLOT_MS + 6_000 };
/** By then all that the window held up is made up for, also by a controller that first has to take over. */
const END = WINDOW.to + 30_000;
const RESTART_MS = 1_000;

/** Two controllers before one API server, both as they are, in a time and over a network that only the explorer moves. */
export class World {
  readonly setting: Setting;
  readonly flavour: Flavour = PRODUCTION;
  readonly time = new VirtualTime(BOOT);
  readonly api: ExploredApi;
  /** What waits to be carried, the oldest first. */
  pending: Message[] = [];
  held: Held[] = [];
  readonly processes = new Map<string, ControllerProcess>();
  readonly created: CreatedJob[] = [];
  readonly finished = new Set<string>();
  /** Jobs that another client deleted, by UID, and whether the status had their time by then. */
  readonly deletedByOther = new Map<string, { readonly wasRecorded: boolean }>();
  readonly violations: Violation[] = [];
  readonly trace: string[] = [];
  #lives = new Map<string, number>();
  #lateMs: number | undefined;
  #hasKilled = false;
  #hasLost = false;
  #recordedUntil = 0;

  constructor(setting: Setting) {
    this.setting = setting;
    this.api = new ExploredApi(() => this.time.now, (...change) => this.#stored(...change));
    const spec = {
      schedule: "@every 20s",
      concurrencyPolicy: setting.policy,
      catchUp: { policy: "All" as const },
      ...setting.spec,
    };
    const cronJob = storedCronJob(this.flavour, { createdAt: START, spec });
    this.api.put(this.flavour.resource, cronJob as Unstored<KubeObject> as never);
    for (const place of ["A", "B"]) this.#boot(place);
  }

  get isInWindow(): boolean {
    return this.time.now >= WINDOW.from - Math.max(0, this.setting.skewMs) && this.time.now <= WINDOW.to;
  }

  get isOver(): boolean {
    return this.time.now >= END;
  }

  /** Lets everything happen that waits for nothing but the event loop. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }

  /** Moves time on. Returns whether anything is left to happen. */
  pass(): boolean {
    return this.time.fireNext(END);
  }

  /** Distinguishes this state from all that could go on otherwise. */
  get digest(): number {
    const messages = [...this.pending, ...this.held.map(({ message }) => message)];
    const parts = [
      this.time.now,
      this.api.digest,
      this.held.length > 0 ? this.api.logDigest : 0,
      this.deletedByOther.size,
      ...[...this.processes].map(([name, { digest }]) => `${name} ${digest}`),
      ...messages.map(({ process, label }) => `${process} ${label}`),
      ...this.created.map(({ slot }) => slot),
    ];
    return digestOf(parts.join("\n"));
  }

  take(message: Message): void {
    this.pending = this.pending.filter((other) => other !== message);
    this.held = this.held.filter((other) => other.message !== message);
  }

  hold(message: Message): void {
    this.take(message);
    this.held.push({ message, heldAt: this.time.now });
  }

  /** Lets a message take effect. Never rejects. */
  async send(message: Message, lateMs?: number): Promise<{ value: unknown } | { error: unknown }> {
    this.#lateMs = lateMs;
    try {
      return { value: await message.send() };
    } catch (error) {
      return { error };
    } finally {
      this.#lateMs = undefined;
    }
  }

  /** The process hears nothing of what it asked for. */
  lose(message: Message): void {
    this.#hasLost ||= message.kind === "write";
    this.answer(message, { error: new UnreachableError("Cannot reach the API server: connection reset") });
  }

  answer(message: Message, outcome: { value: unknown } | { error: unknown }): void {
    const said = "value" in outcome ? JSON.stringify(outcome.value) ?? "" : String(outcome.error);
    this.processes.get(message.process)?.see(`${message.label} ${digestOf(said)}`);
    if ("value" in outcome) message.answer(outcome.value);
    else message.fail(outcome.error);
  }

  /** The process is gone, and with it what it was to hear. What it has sent, and is held, goes on. */
  kill(name: string): void {
    this.#hasKilled = true;
    this.processes.get(name)?.kill();
    this.processes.delete(name);
    this.pending = this.pending.filter(({ process }) => process !== name);
    this.held = this.held.filter(({ message: { process, kind } }) => process !== name || kind === "write");
    this.time.schedule(this.time.now + RESTART_MS, () => this.#boot(name[0]!));
  }

  deleteJob(job: Job): void {
    const wasRecorded = this.#recordedUntil >= this.#slotOf(job);
    this.deletedByOther.set(job.metadata.uid, { wasRecorded });
    this.api.markDeleted(JOBS, job.metadata);
  }

  #boot(place: string): void {
    const life = (this.#lives.get(place) ?? 0) + 1;
    this.#lives.set(place, life);
    const name = life === 1 ? place : `${place}${life}`;
    const clock = new ProcessClock(this.time, place === "B" ? this.setting.skewMs : 0);
    const client = new ProcessClient(this.api, name, (message) => {
      if (this.processes.has(name)) this.pending.push(message);
    });
    const process = { name, clock, client, flavour: this.flavour, onEnd: () => this.#ended(name) };
    this.processes.set(name, undefined as never);
    this.processes.set(name, new ControllerProcess(process));
  }

  #ended(name: string): void {
    if (!this.processes.has(name)) return;
    this.note(`${name} ends`);
    this.kill(name);
  }

  note(text: string): void {
    this.trace.push(`${new Date(this.time.now).toISOString().slice(14, 23)} ${text}`);
  }

  #stored(resource: Resource, _key: string, object: KubeObject | undefined): void {
    if (!object) return;
    if (resource.plural === JOBS.plural) this.#storedJob(object as Job);
    else if (resource.plural === this.flavour.resource.plural) this.#storedCronJob(object as CronJobObject);
  }

  #storedJob(job: Job): void {
    const { uid, name } = job.metadata;
    if (isFinished(job)) this.finished.add(uid);
    if (this.created.some((one) => one.job.metadata.uid === uid)) return;
    const slot = this.#slotOf(job);
    const before = this.created.find((one) => one.slot === slot);
    this.created.push({ job, slot, at: this.time.now, lateMs: this.#lateMs });
    const jobMs = this.time.now > WINDOW.to ? 100 : this.setting.jobMs;
    this.time.schedule(this.time.now + jobMs, () => this.#finish(job));
    if (before) return this.#violated(`a second Job for ${formatTime(slot)}`, this.#holeOf(before));
    const beside = this.api.jobs().filter((other) => other.metadata.uid !== uid && isActive(other));
    if (this.setting.policy !== "Forbid" || beside.length === 0) return;
    this.#violated(`Job ${name} starts beside ${beside.map(({ metadata }) => metadata.name)}`);
  }

  #slotOf({ metadata: { annotations } }: Job): EpochMs {
    return Date.parse(annotations?.[this.flavour.scheduledTimeAnnotation] ?? "");
  }

  /** Returns the hole through which the time of this Job could start again. */
  #holeOf({ job }: CreatedJob): Hole | undefined {
    const deleted = this.deletedByOther.get(job.metadata.uid);
    if (!deleted) return undefined;
    if (this.#lateMs !== undefined) return "late request";
    if (deleted.wasRecorded) return undefined;
    return this.#hasKilled ? "crash" : this.#hasLost ? "lost answer" : undefined;
  }

  #violated(what: string, hole?: Hole): void {
    this.violations.push({ what, hole });
    this.note(`==> ${what}`);
  }

  #storedCronJob({ status }: CronJobObject): void {
    this.#recordedUntil = Date.parse(status?.lastScheduleTime ?? "") || 0;
    const { succeeded = 0, failed = 0 } = status?.counts ?? {};
    if (succeeded + failed <= this.finished.size) return;
    this.#violated(`the status counts ${succeeded + failed} runs that ended, of ${this.finished.size}`);
  }

  #finish({ metadata: { uid } }: Job): void {
    const job = this.api.jobs().find(({ metadata }) => metadata.uid === uid);
    if (!job || job.metadata.deletionTimestamp !== undefined) return;
    const time = formatTime(this.time.now);
    const conditions = [{ type: "Complete", status: "True", lastTransitionTime: time }];
    const status = { startTime: job.metadata.creationTimestamp, completionTime: time, conditions };
    this.api.put(JOBS, { ...job, status } as Unstored<Job>);
  }

  /** What must hold at the end, when all that was held up has had its time. */
  checkEnd(): void {
    const started = new Set(this.created.map(({ slot }) => slot));
    for (let slot = START + SLOT_MS; slot <= WINDOW.to; slot += SLOT_MS) {
      if (!started.has(slot)) this.#violated(`no Job for ${formatTime(slot)}`);
    }
  }
}

function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === "Complete" || type === "Failed");
}

function isActive(job: Job): boolean {
  return !isFinished(job) && job.metadata.deletionTimestamp === undefined;
}
