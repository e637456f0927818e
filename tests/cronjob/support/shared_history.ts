import type { CronJobEdit } from "../../../src/cronjob/api/cron_job_edit.ts";
import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { adoptEdit, LET_GO } from "../../../src/cronjob/adoption/adoption_edits.ts";
import { SUSPEND, TRIGGER } from "../../../src/cronjob/api/annotations.ts";
import { BATCH } from "../../../src/cronjob/api/flavour.ts";
import { isManaged, stewardshipOf } from "../../../src/cronjob/api/stewardship.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import { controllerOf } from "../../../src/kube/object.ts";
import { type EpochMs, formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import { parseSchedule } from "../../../src/schedule/parse_schedule.ts";
import { must } from "../../support/expected.ts";
import { UpstreamCronJobController, type UpstreamView } from "../../support/upstream_cronjob_controller.ts";
import { ReconcilerDriver } from "./driver.ts";
import type { Fate } from "../../support/fateful_client.ts";
import { happening } from "../../support/happening.ts";
import { SimulatedServer } from "./simulated_server.ts";
import { storedCronJob } from "./stored_cron_job.ts";

/** What a person or the cluster does, at any moment: also between two requests of one look. */
export type Incident =
  | { do: "adopt" }
  | { do: "release" }
  | { do: "suspend"; suspend: boolean }
  | { do: "pause"; pause: boolean }
  | { do: "trigger" }
  | { do: "finish"; which: number; succeeds: boolean }
  | { do: "upstream" };

export type Action =
  | Incident
  | { do: "wait"; seconds: number }
  | { do: "deliver"; what: "cronjobs" | "jobs"; count: number }
  | { do: "crash" }
  | { do: "fate"; fates: Fate[] }
  | { do: "meanwhile"; incidents: (Incident | undefined)[] }
  | { do: "upstreamLooks" }
  | { do: "upstreamActs" };

export interface Setting {
  spec: Partial<CronJobSpec>;
  /** Whether a user takes `spec.suspend` away from an adopted CronJob, or the other controller acts on old news. */
  contested: boolean;
}

const incident = (contested: boolean): fc.Arbitrary<Incident> =>
  fc.oneof(
    happening("adopt"),
    happening("release"),
    happening("trigger"),
    happening("upstream"),
    happening("pause", { pause: fc.boolean() }),
    happening("finish", { which: fc.nat(3), succeeds: fc.boolean() }),
    ...(contested ? [happening("suspend", { suspend: fc.boolean() })] : []),
  );

export function actions({ contested }: Setting): fc.Arbitrary<Action[]> {
  const FATES: Fate[] = ["ok", "lostBefore", "lostAfter", "crashBefore", "crashAfter", "serverError", "refused"];
  const wait = happening("wait", { seconds: fc.integer({ min: 0, max: 150 }) });
  const choices: fc.Arbitrary<Action>[] = [
    incident(contested),
    incident(contested),
    wait,
    wait,
    happening("deliver", {
      what: fc.constantFrom("cronjobs" as const, "jobs" as const),
      count: fc.integer({ min: 1, max: 4 }),
    }),
    happening("crash"),
    happening("fate", { fates: fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 3 }) }),
    happening("meanwhile", {
      incidents: fc.array(fc.option(incident(contested), { nil: undefined }), { minLength: 1, maxLength: 4 }),
    }),
  ];
  if (contested) choices.push(happening("upstreamLooks"), happening("upstreamActs"));
  return fc.array(fc.oneof(...choices), { minLength: 5, maxLength: 50 });
}

const KEY = "default/c";
const START = Date.parse("2026-03-10T09:00:00Z");

/** One life of a CronJob that two controllers know: ours with its crashes and lags, and one that does as upstream's. */
export class SharedHistory {
  readonly server: SimulatedServer;
  readonly upstream: UpstreamCronJobController;
  #now = START;
  /** Of Events. */
  readonly #reasons: string[] = [];
  readonly #driver: ReconcilerDriver;
  #meanwhile: (Incident | undefined)[] = [];
  #triggers = 0;
  #oldView: UpstreamView | undefined;

  constructor(readonly setting: Setting, readonly prompt: boolean) {
    this.server = new SimulatedServer(() => this.#now);
    const limits = { successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 };
    this.server.put(
      "cronjobs",
      storedCronJob(BATCH, { createdAt: START, spec: { suspend: false, ...limits, ...setting.spec } }),
    );
    this.upstream = new UpstreamCronJobController(this.server.client(() => "ok"), () => this.#now);
    this.#driver = new ReconcilerDriver({
      flavour: BATCH,
      server: this.server,
      key: KEY,
      now: () => this.#now,
      prompt,
      isOurs: isManaged,
      onEvent: ({ reason }) => void this.#reasons.push(reason),
      // Something may happen before each of our requests.
      beforeRequest: async () => {
        const incident = this.#meanwhile.shift();
        if (incident) await this.#happen(incident);
      },
    });
  }

  get cronJob(): CronJobObject {
    return this.server.cronJobs.get(KEY)!;
  }

  async act(action: Action): Promise<void> {
    switch (action.do) {
      case "wait":
        await this.#wait(action.seconds * 1000);
        break;
      case "deliver":
        (action.what === "jobs" ? this.#driver.jobs : this.#driver.cronJobs).deliver(action.count);
        break;
      case "crash":
        this.#driver.boot();
        break;
      case "fate":
        this.#driver.fates.push(...action.fates);
        break;
      case "meanwhile":
        this.#meanwhile.push(...action.incidents);
        break;
      case "upstreamLooks":
        this.#oldView = await this.upstream.look();
        break;
      case "upstreamActs":
        if (this.#oldView) await this.upstream.syncOne(must(this.#oldView.cronJobs[0]), this.#oldView.jobs);
        this.#oldView = undefined;
        break;
      default:
        await this.#happen(action);
    }
    if (this.prompt) this.#driver.deliverAll();
    await this.#driver.work();
    if (!this.#oldView) await this.#letUpstreamLook();
  }

  async #happen(incident: Incident): Promise<void> {
    switch (incident.do) {
      case "adopt":
        this.#edit(adoptEdit(this.cronJob));
        break;
      case "release":
        if (isManaged(this.cronJob)) this.#edit(LET_GO);
        break;
      case "suspend":
        this.#edit({ annotations: {}, spec: { suspend: incident.suspend } });
        break;
      case "pause":
        this.#edit({ annotations: { [SUSPEND]: incident.pause ? "true" : null } });
        break;
      case "trigger":
        if (stewardshipOf(BATCH, this.cronJob).keepsStatus && isManaged(this.cronJob)) {
          this.#edit({ annotations: { [TRIGGER]: String(++this.#triggers) } });
        }
        break;
      case "finish":
        this.#finish(incident);
        break;
      case "upstream":
        await this.#letUpstreamLook();
    }
  }

  #edit({ annotations, spec }: CronJobEdit): void {
    this.server.edit(KEY, { metadata: { annotations }, spec: spec && { suspend: spec.suspend } });
  }

  /** It is left nothing to do by those who run an adopted CronJob. */
  async #letUpstreamLook(): Promise<void> {
    const { suspendedIn, controlsJobs } = stewardshipOf(BATCH, this.cronJob);
    const isLeftAlone = suspendedIn === "annotation" && !controlsJobs &&
      [...this.server.jobs.values()].every((job) => controllerOf(job) === undefined);
    const before = this.upstream.deeds.length;
    await this.upstream.sync();
    if (isLeftAlone) {
      // Until the status that follows is written, a Job is missed that ours deleted in another's place, or that the other
      // deleted itself, shortly before it was adopted: ours may list it once more before it hears of that.
      const mayMiss = (name?: string) =>
        this.setting.spec.concurrencyPolicy === "Replace" ||
        this.upstream.deeds.slice(0, before).some(({ what, jobName }) =>
          what === "SuccessfulDelete" && jobName === name
        );
      const since = this.upstream.deeds.slice(before);
      const missed = since.filter(({ what, jobName }) => what === "MissingJob" && mayMiss(jobName));
      const deeds = since.filter((deed) => !missed.includes(deed) && (deed.what !== "status" || missed.length === 0));
      assertEquals(deeds, [], "The other controller meddled with an adopted CronJob");
    }
  }

  async settle(): Promise<void> {
    this.#driver.fates = [];
    this.#meanwhile = [];
    this.#oldView = undefined;
    for (let round = 0; round < 50; round++) {
      const before = this.server.version;
      this.#now += 10_000;
      this.#driver.deliverAll();
      this.#driver.wake();
      await this.#driver.work();
      await this.#letUpstreamLook();
      if (this.server.version === before) return;
    }
    throw new Error("The controllers never come to rest");
  }

  async #wait(ms: number): Promise<void> {
    const end = this.#now + ms;
    this.#oldView = undefined;
    while (this.#now < end) {
      const minute = Math.floor(this.#now / 60_000) * 60_000 + 60_000;
      this.#now = Math.min(end, minute, Math.max(this.#now + 1, this.#driver.wakeAt ?? Infinity));
      if (this.#driver.wakeAt !== undefined && this.#driver.wakeAt <= this.#now) await this.#driver.wakeUp();
      if (this.#now === minute) await this.#letUpstreamLook();
    }
  }

  #finish({ which, succeeds }: { which: number; succeeds: boolean }): void {
    const job = this.server.unfinished[which];
    if (job) this.server.finish(job, succeeds);
  }

  startedSlots(): EpochMs[] {
    return this.server.created
      .map(({ job }) => parseTime(job.metadata.annotations?.[BATCH.scheduledTimeAnnotation]))
      .filter((slot) => slot !== undefined);
  }

  /** What must hold at every moment. */
  checkSafety(): void {
    const slots = this.startedSlots();
    assertEquals(slots.length, new Set(slots).size, `A scheduled time has two Jobs: ${slots.map(formatTime)}`);
    if (!this.setting.contested && this.setting.spec.concurrencyPolicy === "Forbid") {
      for (const { job, beside } of this.server.created) {
        assertEquals(beside, [], `${job.metadata.name} was started beside another`);
      }
    }
    if (!this.setting.contested) assertEquals(this.#reasons.filter((reason) => reason === "MultipleControllers"), []);
    const last = this.server.collection("cronjobs").changes
      .map(({ object }) => parseTime((object as CronJobObject).status?.lastScheduleTime) ?? 0);
    assertEquals(last, last.toSorted((a, b) => a - b), "status.lastScheduleTime went back");
  }

  /** What must hold once both controllers have had their turn. */
  checkTruth(): void {
    const { status, spec, metadata } = this.cronJob;
    const names = (list: { name?: string }[]) => list.map(({ name }) => name).sort();
    const { controlsJobs, ends, suspendedIn } = stewardshipOf(BATCH, this.cronJob);
    // Where both worked on it, the other controller does not list what it did not start.
    if (!this.setting.contested || !controlsJobs) {
      assertEquals(
        names(status?.active ?? []),
        names(this.server.unfinished.map(({ metadata }) => metadata)),
        "status.active is not true",
      );
    }
    const newest = Math.max(...this.startedSlots());
    if (newest > 0 && (!this.setting.contested || !controlsJobs)) {
      assertEquals(parseTime(status?.lastScheduleTime), newest, "status.lastScheduleTime is not true");
    }
    assertEquals(ends ?? false, false, "It was never released");
    for (const job of this.server.jobs.values()) {
      assertEquals(controllerOf(job) !== undefined, controlsJobs, `${job.metadata.name} is in the wrong hands`);
    }
    for (const [condition, limit] of [["Complete", 3], ["Failed", 1]] as const) {
      const kept = [...this.server.jobs.values()].filter(({ status }) =>
        status?.conditions?.some(({ type }) => type === condition)
      );
      assertEquals(kept.length <= limit, true, `${kept.length} Jobs are kept that are ${condition}`);
    }
    const isPaused = suspendedIn === "annotation" && spec.suspend === true
      ? metadata.annotations?.[SUSPEND] === "true"
      : spec.suspend === true;
    if (isPaused || spec.concurrencyPolicy !== "Allow") return;
    const due = parseSchedule(spec.schedule).previous(this.#now + 1)!;
    if (due > START) assertEquals(formatTime(newest), formatTime(due), "The latest run was not started");
  }
}
