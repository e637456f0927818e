import { assert, assertEquals } from "@std/assert";
import { CRON_JOBS as BUILT_IN_CRON_JOBS } from "../../../src/apiserver/kinds/cron_job.ts";
import { JOBS as BUILT_IN_JOBS } from "../../../src/apiserver/kinds/job.ts";
import { PODS as BUILT_IN_PODS } from "../../../src/apiserver/kinds/pod.ts";
import type { ResourceKind } from "../../../src/apiserver/resource_kind.ts";
import { TypeMismatch } from "../../../src/apiserver/schema/typed_object.ts";
import { BATCH, FLAVOURS, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { jobCachesFor } from "../../../src/cli/shared/job_caches.ts";
import { CronJobController } from "../../../src/cronjob/controller.ts";
import { JobController } from "../../../src/job/controller.ts";
import { TtlController } from "../../../src/job/ttl_controller.ts";
import { controllerOf, type KubeObject, type Unstored } from "../../../src/kube/object.ts";
import { apiVersionOf, type Job, JOBS, PODS, type Resource } from "../../../src/kube/resource.ts";
import { EventRecorder } from "../../../src/runtime/event_recorder.ts";
import { FakeApi, refusal } from "../../runtime/support/fake_api.ts";
import { atLeast, must } from "../../support/expected.ts";
import { QuickClock } from "../../support/quick_clock.ts";
import { type Json, type OddKind, oddObjects, soundObject } from "./odd_objects.ts";
import { macrotask } from "../../support/fake_clock.ts";

const NAMESPACE = "odd";
const START = Date.parse("2026-03-01T00:00:30Z");
const MINUTES = 6;
/** One that fails for ever is tried 15 times in its first minute, with a handful of requests each, and more rarely later. */
const REQUESTS_A_MINUTE = 100;

/** What is refused for good, of one odd object in so many. */
const REFUSED_EVERY = 7;
const REFUSALS: Record<string, [code: number, reason: string]> = {
  "replace 1": [422, "Invalid"],
  "replace 2": [500, "InternalError"],
  "replace 3": [409, "Conflict"],
  "create 3": [403, "Forbidden"],
  "create 4": [422, "Invalid"],
  "create 5": [500, "InternalError"],
  "patch 5": [422, "Invalid"],
  "delete 6": [403, "Forbidden"],
};

const RESOURCES: Record<OddKind, Resource> = {
  TutorialCronJob: TUTORIAL.resource,
  BatchCronJob: BATCH.resource,
  Job: JOBS,
  Pod: PODS,
};
const NEIGHBOURS = FLAVOURS.map((flavour) => ({ flavour, name: `sound-${flavour.controllerName}` }));

/** Kubernetes' own kinds have the types of their fields, whatever their values; a CRD may leave all open. */
const TYPED: Partial<Record<OddKind, ResourceKind>> = {
  BatchCronJob: BUILT_IN_CRON_JOBS,
  Job: BUILT_IN_JOBS,
  Pod: BUILT_IN_PODS,
};

/**
 * Puts odd objects before the controllers, with nothing between that would refuse them but the types of Kubernetes' own
 * fields: an API server in memory stores whatever it is given, and refuses what the controllers write for some of them. One CronJob of each flavour among them is sound.
 */
export async function proveThatControllersBearObjects(seed: number, count: number): Promise<void> {
  await using world = new OddWorld();
  for (const { flavour, name } of NEIGHBOURS) world.put(flavour.resource, name, neighbour(flavour.resource));
  const odd = oddObjects(seed, 2 * count, hasItsTypes);
  const put = (index: number, name: string) =>
    world.put(RESOURCES[must(odd[index]).kind], name, must(odd[index]).object);
  // Half of them are there already, the others come; later each becomes another one, or goes.
  for (let i = 0; i < count / 2; i++) put(i, `odd-${i}`);
  world.start();
  await world.minutes(MINUTES / 3);
  for (let i = Math.ceil(count / 2); i < count; i++) put(i, `odd-${i}`);
  await world.minutes(MINUTES / 3);
  for (let i = 0; i < count; i++) {
    const { kind } = must(odd[i]);
    if (i % 4 === 0) world.remove(must(RESOURCES[kind]), `odd-${i}`);
    else {world.put(
        must(RESOURCES[kind]),
        `odd-${i}`,
        must(odd[count + odd.slice(count).findIndex((o) => o.kind === kind)]).object,
      );}
  }
  await world.minutes(MINUTES / 3);
  world.judge(`seed ${seed}`, odd.map(({ object }) => object));
}

function hasItsTypes(object: Json, kind: OddKind): boolean {
  try {
    TYPED[kind]?.read(structuredClone(object));
    return true;
  } catch (error) {
    if (error instanceof TypeMismatch) return false;
    throw error;
  }
}

class OddWorld implements AsyncDisposable {
  readonly #clock = new QuickClock(START);
  readonly #api = new FakeApi(() => this.#clock.now());
  readonly #end = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #failure: { error: unknown } | undefined;
  /** Each minute's requests, by the name that begins what they name. */
  readonly #costs: Map<string, number>[] = [];

  start(): void {
    const client = this.#api;
    client.intercept = (verb, _resource, name) => {
      const index = Number(/^odd-(\d+)/.exec(name)?.[1]);
      const [code, reason] = REFUSALS[`${verb} ${index % REFUSED_EVERY}`] ?? [];
      if (code) throw refusal(code, reason!, `no ${verb} of ${name}`);
    };
    const clock = this.#clock;
    const recorder = new EventRecorder({ client, clock, component: "cronjob-controller" });
    const caches = jobCachesFor({ client, clock, flavours: FLAVOURS, runsJobs: true });
    const parts = [
      recorder,
      ...FLAVOURS.map((flavour) =>
        new CronJobController({ client, clock, flavour, jobs: caches.ofCronJobs, recorder })
      ),
      new JobController({ client, clock, jobs: caches.ofJobs!, recorder, mode: "all" }),
      new TtlController({ client, clock }),
    ];
    this.#running = Promise.all(parts.map((part) => part.run(this.#end.signal)))
      .catch((error) => void (this.#failure = { error }));
  }

  /** As a server stores it: with the metadata that none leaves to its clients, and of the types that metadata has. */
  put(resource: Resource, name: string, object: Json): void {
    const { labels, annotations, finalizers } = (object.metadata ?? {}) as Json;
    const owner = resource === PODS ? this.#job() : resource === JOBS ? this.#neighbour(name) : undefined;
    const reference = owner && { ...owner, controller: true, blockOwnerDeletion: true };
    const metadata = {
      name,
      namespace: NAMESPACE,
      labels: textsOf(labels),
      annotations: textsOf(annotations),
      finalizers: Array.isArray(finalizers) ? finalizers.filter((item) => typeof item === "string") : undefined,
      creationTimestamp: new Date(START - 300_000).toISOString().replace(".000", ""),
      generation: 1,
      ...(reference && { ownerReferences: [reference] }),
    };
    this.#api.put(resource, { ...object, metadata } as Unstored<KubeObject>);
  }

  remove(resource: Resource, name: string): void {
    // Its controller may have removed it, as a Job of a CronJob.
    if (this.#api.all(resource).some(({ metadata }) => metadata.name === name)) {
      this.#api.remove(resource, { namespace: NAMESPACE, name });
    }
  }

  async minutes(count: number): Promise<void> {
    for (let minute = 0; minute < count; minute++) {
      const before = this.#api.requests.length;
      for (let second = 0; second < 60; second++) {
        await this.#clock.advance(1_000);
        await macrotask();
      }
      const costs = new Map<string, number>();
      for (const request of this.#api.requests.slice(before)) {
        const [name] = /(odd-\d+|sound-[a-z-]+[a-z])/.exec(request) ?? ["other"];
        costs.set(name, (costs.get(name) ?? 0) + 1);
      }
      this.#costs.push(costs);
    }
  }

  judge(what: string, objects: readonly Json[]): void {
    if (this.#failure) throw new Error(`The controllers broke down at ${what}`, { cause: this.#failure.error });
    for (const [minute, costs] of this.#costs.entries()) {
      for (const [name, cost] of costs) {
        // The sound ones have odd Jobs to clean up.
        if (!name.startsWith("odd") || cost <= REQUESTS_A_MINUTE) continue;
        const object = JSON.stringify(objects[Number(name.split("-")[1])])?.slice(0, 5_000);
        assert(false, `${cost} requests in minute ${minute} for ${name} of ${what}: ${object}`);
      }
    }
    for (const { flavour, name } of NEIGHBOURS) {
      const jobs = this.#api.all(JOBS).filter((job) => controllerOf(job)?.name === name);
      const times = jobs.map(({ metadata }) => metadata.annotations?.[flavour.scheduledTimeAnnotation]);
      const slots = Array.from({ length: MINUTES }, (_, i) => new Date(START + 30_000 + i * 60_000).toISOString());
      const found = slots.filter((slot) => times.includes(slot.replace(".000", "")));
      assertEquals(found, slots, `the runs of ${name} beside ${what}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    let isOver = false;
    const over = this.#running.finally(() => isOver = true);
    for (let second = 0; !isOver && second < 20; second++) {
      await this.#clock.advance(1_000);
      await macrotask();
    }
    if (isOver) await over;
    else throw new Error("The controllers did not end");
  }

  #job(): Json | undefined {
    const [job] = this.#api.all(JOBS) as Job[];
    return job && { apiVersion: "batch/v1", kind: "Job", name: job.metadata.name, uid: job.metadata.uid };
  }

  /** Every other odd Job is a sound CronJob's. */
  #neighbour(name: string): Json | undefined {
    const index = Number(name.split("-")[1]);
    if (index % 2 === 0) return undefined;
    const { flavour } = must(NEIGHBOURS[(index >> 1) % NEIGHBOURS.length]);
    const [owner] = atLeast(
      1,
      this.#api.all(flavour.resource).filter(({ metadata }) => metadata.name.startsWith("sound-")),
    );
    const { kind, group, version } = flavour.resource;
    return { apiVersion: `${group}/${version}`, kind, name: owner.metadata.name, uid: owner.metadata.uid };
  }
}

function neighbour(resource: Resource): Json {
  const object = soundObject(resource === BATCH.resource ? "BatchCronJob" : "TutorialCronJob");
  const spec = { schedule: "* * * * *", jobTemplate: (object.spec as Json).jobTemplate };
  return { apiVersion: apiVersionOf(resource), kind: object.kind, spec };
}

/** What a map of texts has of those. */
function textsOf(map: unknown): Record<string, string> | undefined {
  if (typeof map !== "object" || map === null || Array.isArray(map)) return undefined;
  return Object.fromEntries(Object.entries(map).filter(([, value]) => typeof value === "string"));
}
