import { type Flavour, PRODUCTION } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import type { KubeObject, Unstored } from "../../../src/kube/object.ts";
import { type Job, JOBS, LEASES } from "../../../src/kube/resource.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";
import { UnreachableError } from "../../../src/kube/unreachable_error.ts";
import { storedCronJob } from "../../cronjob/support/stored_cron_job.ts";
import { Judge } from "./judge.ts";
import { ControllerProcess } from "./controller_process.ts";
import { digestOf } from "./digest.ts";
import { ExploredApi } from "./explored_api.ts";
import { type Guard, type Message, processClient } from "./process_client.ts";
import { ProcessClock, VirtualTime } from "./virtual_time.ts";
import { macrotask } from "../../support/fake_clock.ts";

/** The surroundings of one run. */
export interface Setting {
  /** How many controllers compete. One that ends is started again a second later. */
  readonly controllers: 1 | 2;
  readonly policy: "Allow" | "Forbid";
  /** How far the wall clock of the second controller is ahead of the other. */
  readonly skewMs: number;
  /** How long Jobs run. */
  readonly jobMs: number;
  /** During how many scheduled times something may go wrong. */
  readonly slots: number;
  readonly spec?: Partial<CronJobSpec>;
  /** For how long the names of Jobs stay taken at least. @default as by default */
  readonly holdMs?: number;
}

/** A message on its way that others have overtaken. */
export interface Held {
  readonly message: Message;
  readonly heldAt: EpochMs;
}

const START = Date.parse("2026-03-10T09:00:00Z");
const SLOT_MS = 20_000;
/** When the controllers start. */
const BOOT = START + 12_000;
/** The window in which something may go wrong reaches from so long before its first scheduled time … */
const BEFORE_MS = 2_000;
/** … until so long after its last. */
const AFTER_MS = 6_000;
/** By then all that the window held up is made up for, also by a controller that first has to take over. */
const RECOVERY_MS = 30_000;
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
  readonly judge: Judge;
  readonly trace: string[] = [];
  readonly #dead = new Set<string>();
  readonly #lives = new Map<string, number>();
  /** When the next process of a place starts. */
  readonly #restarts = new Map<string, EpochMs>();
  #lateMs: number | undefined;

  constructor(setting: Setting) {
    this.setting = setting;
    this.judge = new Judge(this.flavour, { forbids: setting.policy === "Forbid" });
    this.api = new ExploredApi(() => this.time.now, (...change) => this.#stored(...change));
    const spec = {
      schedule: "@every 20s",
      concurrencyPolicy: setting.policy,
      catchUp: { policy: "All" as const },
      ...setting.spec,
    };
    const cronJob = storedCronJob(this.flavour, { createdAt: START, spec });
    this.api.put(this.flavour.resource, cronJob as Unstored<KubeObject> as never);
    for (const place of ["A", "B"].slice(0, setting.controllers)) this.#boot(place);
  }

  get isInWindow(): boolean {
    const from = START + SLOT_MS - BEFORE_MS - Math.max(0, this.setting.skewMs);
    return this.time.now >= from && !this.isPastWindow;
  }

  /** Whether nothing goes wrong any more. */
  get isPastWindow(): boolean {
    return this.time.now > this.#windowEnd;
  }

  get #windowEnd(): EpochMs {
    return START + this.setting.slots * SLOT_MS + AFTER_MS;
  }

  /** Lets everything happen that waits for nothing but the event loop. */
  async settle(): Promise<void> {
    await macrotask();
  }

  /** Moves time on. Returns whether anything is left to happen. */
  pass(): boolean {
    return this.time.fireNext(this.#windowEnd + RECOVERY_MS);
  }

  /** Distinguishes this state from all that could go on otherwise. */
  get digest(): number {
    const messages = [...this.pending, ...this.held.map(({ message }) => message)];
    const parts = [
      this.time.now,
      this.api.digest,
      this.held.length > 0 ? this.api.logDigest : 0,
      this.judge.state,
      ...this.#restarts,
      ...[...this.processes].map(([name, { digest }]) => `${name} ${digest}`),
      ...messages.map(({ process, label }) => `${process} ${label}`),
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
    this.judge.hasLost ||= message.kind === "write";
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
    this.judge.hasKilled = true;
    this.processes.get(name)?.kill();
    this.processes.delete(name);
    this.#dead.add(name);
    this.pending = this.pending.filter(({ process }) => process !== name);
    this.held = this.held.filter(({ message: { process, kind } }) => process !== name || kind === "write");
    const place = name.charAt(0);
    this.#restarts.set(place, this.time.now + RESTART_MS);
    this.time.schedule(this.time.now + RESTART_MS, () => this.#boot(place));
  }

  deleteJob(job: Job): void {
    this.judge.seeDeletion(job);
    this.api.markDeleted(JOBS, job.metadata);
  }

  #boot(place: string): void {
    const life = (this.#lives.get(place) ?? 0) + 1;
    this.#lives.set(place, life);
    this.#restarts.delete(place);
    const name = life === 1 ? place : `${place}${life}`;
    const clock = new ProcessClock(this.time, place === "B" ? this.setting.skewMs : 0);
    const connect = (guard?: Guard) => processClient(this.api, name, (message) => this.#carry(message), guard);
    const { flavour, setting: { holdMs } } = this;
    const process = { name, clock, connect, flavour, holdMs, onEnd: () => this.#ended(name) };
    this.processes.set(name, new ControllerProcess(process));
  }

  #carry(message: Message): void {
    if (this.#dead.has(message.process)) return;
    // Of the Lease an event only repeats what attempts read; one that is late makes the next leader later.
    if (message.kind === "event" && message.plural === LEASES.plural) {
      this.send(message).then((outcome) => this.answer(message, outcome));
    } else this.pending.push(message);
  }

  #ended(name: string): void {
    if (this.#dead.has(name)) return;
    this.note(`${name} ends`);
    this.kill(name);
  }

  note(text: string): void {
    this.trace.push(`${new Date(this.time.now).toISOString().slice(14, 23)} ${text}`);
  }

  #stored(plural: string, _key: string, object: KubeObject | undefined): void {
    if (!object) return;
    if (plural === JOBS.plural) this.#storedJob(object as Job);
    else if (plural === this.flavour.resource.plural) this.judge.seeStatus(object as CronJobObject);
  }

  #storedJob(job: Job): void {
    if (!this.judge.seeJob(job, { jobs: this.api.jobs(), at: this.time.now, lateMs: this.#lateMs })) return;
    const jobMs = this.isPastWindow ? 100 : this.setting.jobMs;
    this.time.schedule(this.time.now + jobMs, () => this.#finish(job));
  }

  #finish({ metadata: { uid } }: Job): void {
    const job = this.api.jobs().find(({ metadata }) => metadata.uid === uid);
    if (!job || job.metadata.deletionTimestamp !== undefined) return;
    const time = formatTime(this.time.now);
    const conditions = [{ type: "Complete", status: "True", lastTransitionTime: time }];
    const status = { startTime: job.metadata.creationTimestamp, completionTime: time, conditions };
    this.api.put(JOBS, { ...job, status } as Unstored<Job>);
  }

  /** Called at the end of the run: what must hold then is judged. */
  end(): void {
    const slots = Array.from({ length: this.setting.slots }, (_, i) => START + (i + 1) * SLOT_MS);
    this.judge.seeEnd(slots);
  }
}
