import type { CronJobEdit } from "../../../src/cronjob/api/cron_job_edit.ts";
import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { adoptEdit, LET_GO } from "../../../src/cronjob/adoption/adoption_edits.ts";
import { SUSPEND, TRIGGER } from "../../../src/cronjob/api/annotations.ts";
import { BATCH } from "../../../src/cronjob/api/flavour.ts";
import { isManaged, stewardshipOf } from "../../../src/cronjob/api/stewardship.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import { controllerOf } from "../../../src/kube/object.ts";
import { formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import { must } from "../../support/expected.ts";
import { UpstreamCronJobController, type UpstreamView } from "../../support/upstream_cronjob_controller.ts";
import type { Fate } from "../../support/fateful_client.ts";
import { happening } from "../../support/happening.ts";
import { History } from "./history.ts";
import type { Action as ActionOfOne } from "./history_actions.ts";
import { checkRecords, checkSafety } from "./history_checks.ts";
import { startedSlots } from "./history_slots.ts";

/** What a person or the cluster does, at any moment: also between two requests of one look. */
export type Incident =
  | { do: "adopt" }
  | { do: "release" }
  | { do: "suspend"; suspend: boolean }
  | { do: "halt"; halt: boolean }
  | { do: "trigger" }
  | { do: "finish"; which: number; succeeds: boolean }
  | { do: "upstream" };

export type Action =
  | Incident
  | Extract<ActionOfOne, { do: "wait" | "deliver" | "crash" | "fate" }>
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
    happening("halt", { halt: fc.boolean() }),
    happening("finish", { which: fc.nat(3), succeeds: fc.boolean() }),
    ...(contested ? [happening("suspend", { suspend: fc.boolean() })] : []),
  );

export function actions({ contested }: Setting): fc.Arbitrary<Action[]> {
  const FATES: Fate[] = ["ok", "lostBefore", "lostAfter", "crashBefore", "crashAfter", "serverError", "refused"];
  const wait = happening("wait", { seconds: fc.integer({ min: 0, max: 150 }).map((seconds) => seconds / 10) });
  const choices: fc.Arbitrary<Action>[] = [
    incident(contested),
    incident(contested),
    wait,
    wait,
    happening("deliver", {
      what: fc.constantFrom("cronjobs" as const, "jobs" as const),
      count: fc.integer({ min: 1, max: 4 }),
    }),
    happening("crash", { downSeconds: fc.constant(0) }),
    happening("fate", { fates: fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 3 }) }),
    happening("meanwhile", {
      incidents: fc.array(fc.option(incident(contested), { nil: undefined }), { minLength: 1, maxLength: 4 }),
    }),
  ];
  if (contested) choices.push(happening("upstreamLooks"), happening("upstreamActs"));
  return fc.array(fc.oneof(...choices), { minLength: 5, maxLength: 50 });
}

/** One life of a CronJob that two controllers know: ours with its crashes and lags, and one that does as upstream's. */
export class SharedHistory extends History {
  readonly contested: boolean;
  readonly upstream = new UpstreamCronJobController(this.server.client(() => "ok"), () => this.now);
  #meanwhile: (Incident | undefined)[] = [];
  #triggers = 0;
  #oldView: UpstreamView | undefined;

  constructor({ spec, contested }: Setting, prompt: boolean) {
    const limits = { successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 };
    super({
      api: BATCH,
      spec: { suspend: false, ...limits, ...spec },
      prompt,
      isOurs: isManaged,
      // Something may happen before each of our requests.
      beforeRequest: async () => {
        const incident = this.#meanwhile.shift();
        if (incident) await this.#happen(incident);
      },
    });
    this.contested = contested;
  }

  async undergo(action: Action): Promise<void> {
    switch (action.do) {
      case "wait":
        await this.#wait(action.seconds * this.scale);
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
      case "deliver":
      case "crash":
      case "fate":
        await this.act(action);
        break;
      default:
        await this.#happen(action);
    }
    await this.act({ do: "wait", seconds: 0 });
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
      case "halt":
        this.#edit({ annotations: { [SUSPEND]: incident.halt ? "true" : null } });
        break;
      case "trigger":
        if (stewardshipOf(BATCH, this.cronJob).keepsStatus && isManaged(this.cronJob)) {
          this.#edit({ annotations: { [TRIGGER]: String(++this.#triggers) } });
        }
        break;
      case "finish":
        this.jobs.finish(incident);
        break;
      case "upstream":
        await this.#letUpstreamLook();
    }
  }

  #edit({ annotations, spec }: CronJobEdit): void {
    this.server.edit("default/c", { metadata: { annotations }, spec: spec && { suspend: spec.suspend } });
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

  override async settle(): Promise<void> {
    this.#meanwhile = [];
    this.#oldView = undefined;
    await super.settle();
    for (let round = 0; round < 50; round++) {
      const before = this.server.version;
      await this.act({ do: "wait", seconds: 1 });
      await super.settle();
      await this.#letUpstreamLook();
      if (this.server.version === before) return;
    }
    throw new Error("The controllers never come to rest");
  }

  /** The other controller looks at each full minute. */
  async #wait(ms: number): Promise<void> {
    this.#oldView = undefined;
    for (let leftMs = ms; leftMs > 0;) {
      const stepMs = Math.min(leftMs, 60_000 - this.now % 60_000);
      await this.act({ do: "wait", seconds: stepMs / this.scale });
      leftMs -= stepMs;
      if (this.now % 60_000 === 0) await this.#letUpstreamLook();
    }
  }

  /** What must hold at every moment. */
  checkSafety(): void {
    checkSafety(this, this.contested ? { ...this.setting, spec: {} } : this.setting);
    if (!this.contested) assertEquals(this.events.filter(({ reason }) => reason === "MultipleControllers"), []);
    const last = this.server.collection("cronjobs").changes
      .map(({ object }) => parseTime((object as CronJobObject).status?.lastScheduleTime) ?? 0);
    assertEquals(last, last.toSorted((a, b) => a - b), "status.lastScheduleTime went back");
  }

  /** What must hold once both controllers have had their turn. */
  checkTruth(): void {
    const { spec, metadata } = this.cronJob;
    const { controlsJobs, ends, suspendedIn } = stewardshipOf(BATCH, this.cronJob);
    // Where both worked on it, the other controller does not list what it did not start.
    if (!this.contested || !controlsJobs) checkRecords(this);
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
    const due = this.dueSlots().at(-1);
    if (due === undefined) return;
    assertEquals(formatTime(Math.max(...startedSlots(this))), formatTime(due), "The latest run was not started");
  }
}
