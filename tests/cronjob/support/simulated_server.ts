import { applyPatch, type Operation } from "rfc6902";
import { ApiError } from "../../../src/kube/api_error.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import {
  type DeepReadonly,
  keyOf,
  type KubeObject,
  makeKey,
  type Patch,
  type Unstored,
} from "../../../src/kube/object.ts";
import type { Job, Resource } from "../../../src/kube/resource.ts";
import type { Cached, ReadOnly, Store } from "../../../src/runtime/store.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";
import { BACKFILL_PROGRESS } from "../../../src/cronjob/api/annotations.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { copyOf } from "../../support/copy.ts";
import { completedAt, failedAt } from "../../support/ended_job.ts";
import { must } from "../../support/expected.ts";
import { present } from "../../support/present.ts";
import type { Loose } from "../../../src/base/loose.ts";

type Stored = CronJobObject | Job;

export interface Edit {
  metadata?: { resourceVersion?: string; annotations?: Readonly<Record<string, string | null>> } | undefined;
  spec?: Loose<Partial<CronJobObject["spec"]>> | undefined;
}

interface Change {
  readonly type: "set" | "deleted";
  readonly object: Stored;
}

/** How a request fares. `Lost` ones fail on the way, before or after they took effect; at a `Crash` the process dies. */
export type Fate = "ok" | "lostBefore" | "lostAfter" | "crashBefore" | "crashAfter" | InDoubt | "refused";

type InDoubt = "serverError" | "gaveUp" | "sentElsewhere";

/** Answered with such a code though it was done: the server failed, or something before it stopped waiting, or sent it elsewhere. */
const IN_DOUBT = new Map<Fate, number>([["serverError", 504], ["gaveUp", 408], ["sentElsewhere", 307]]);

/** The process is gone. */
export class Crash extends Error {}

/**
 * The truth that a controller works on: CronJobs and Jobs as an API server keeps them, with versions, conflicts and
 * preconditions; caches that follow it only as far as they are let; and requests that fare as the test says.
 */
export class SimulatedServer {
  readonly cronJobs = new Map<string, CronJobObject>();
  readonly jobs = new Map<string, Job>();
  /** Every change, in order, as a watch would deliver it. */
  readonly changes: { cronjobs: Change[]; jobs: Change[] } = { cronjobs: [], jobs: [] };
  /** Every Job that was ever created, as it was then, and the others that were unfinished at that moment. */
  readonly created: { job: Job; at: EpochMs; beside: string[] }[] = [];
  readonly requests: string[] = [];
  /** Whether it is a server whose definition knows of runs of the past. */
  keepsBackfills = true;
  /** The same of failed runs. */
  keepsFailedRuns = true;
  /** Called with every Job when it is created. */
  onCreated: (job: Job) => void = () => {};
  #version = 1;

  constructor(readonly now: () => EpochMs) {}

  put(kind: "cronjobs" | "jobs", object: Stored | Unstored<Job>): void {
    const stored = copyOf(object) as Stored;
    stored.metadata.resourceVersion = String(++this.#version);
    this.restore(kind, stored);
  }

  /** It has this version again, as after a restore from a backup. */
  restore(kind: "cronjobs" | "jobs", object: Stored): void {
    this.#shelf(kind).set(keyOf(object), object);
    this.changes[kind].push({ type: "set", object });
  }

  remove(kind: "cronjobs" | "jobs", key: string): void {
    const object = this.#shelf(kind).get(key);
    if (!object) return;
    this.#shelf(kind).delete(key);
    this.changes[kind].push({ type: "deleted", object });
  }

  /** Does what a Job controller does at the end of a Job. */
  finish(job: Job, succeeds: boolean, at: EpochMs = this.now()): void {
    const { status, metadata: { creationTimestamp } } = job;
    const times = [formatTime(at), status?.startTime ?? creationTimestamp] as const;
    this.put("jobs", { ...job, status: succeeds ? completedAt(...times) : failedAt(...times, "") });
  }

  isFinished(job: DeepReadonly<Job>): boolean {
    return (job.status?.conditions ?? []).some(({ type, status }) =>
      status === "True" && (type === "Complete" || type === "Failed")
    );
  }

  /** What a controller uses, and is called in `managedFields`. `fateOf` is asked for every request. */
  client(fateOf: (request: string) => Fate, manager = "cronjob-controller"): KubeClient {
    const run = <T>(request: string, act: () => T): Promise<T> => {
      this.requests.push(request);
      const fate = fateOf(request);
      if (fate === "crashBefore") return Promise.reject(new Crash());
      if (fate === "refused") return Promise.reject(new ApiError("not allowed", { code: 403, reason: "Forbidden" }));
      if (fate === "lostBefore") return Promise.reject(new TypeError("connection refused"));
      try {
        const result = copyOf(act());
        if (fate === "crashAfter") return Promise.reject(new Crash());
        if (fate === "lostAfter") return Promise.reject(new TypeError("connection reset"));
        const doubt = IN_DOUBT.get(fate);
        if (doubt !== undefined) return Promise.reject(new ApiError("no answer of the server's", { code: doubt }));
        return Promise.resolve(result);
      } catch (error) {
        return Promise.reject(error);
      }
    };
    const client = {
      get: (resource: Resource, { name, namespace }: { name: string; namespace?: string }) =>
        run(`get ${resource.plural}`, () => this.#get(resource, makeKey(namespace, name))),
      create: (resource: Resource, object: KubeObject) => run(`create ${resource.plural}`, () => this.#create(object)),
      createText: async (resource: Resource, _name: unknown, body: string) => {
        const text = await run(`create ${resource.plural}`, () => JSON.stringify(this.#create(JSON.parse(body))));
        return { length: text.length, read: () => JSON.parse(text) };
      },
      replace: (resource: Resource, object: KubeObject) =>
        run(`replace ${resource.plural}/status`, () => this.#replaceStatus(object as CronJobObject, manager)),
      list: (resource: Resource) =>
        run(`list ${resource.plural}`, () => ({
          items: [...this.#shelf(resource.plural).values()],
          metadata: { resourceVersion: String(this.#version) },
        })),
      patch: (resource: Resource, { name, namespace }: { name: string; namespace?: string }, patch: Patch) =>
        run(`patch ${resource.plural}`, () => {
          const key = makeKey(namespace, name);
          if (patch.type === "json") return this.#patch(resource, key, patch.operations as Operation[]);
          if (patch.type === "strategic") return this.#patchJobStatus(key, patch.body as Job);
          return this.edit(key, (patch as { body: Edit }).body);
        }),
      delete: (
        resource: Resource,
        { name, namespace }: { name: string; namespace?: string },
        { preconditions }: { preconditions?: { uid?: string } },
      ) => run(`delete ${resource.plural}`, () => this.#delete(resource, makeKey(namespace, name), preconditions?.uid)),
    };
    return client as unknown as KubeClient;
  }

  #shelf(kind: string): Map<string, Stored> {
    return (kind === "jobs" ? this.jobs : this.cronJobs) as Map<string, Stored>;
  }

  #get(resource: Resource, key: string): Stored {
    const object = this.#shelf(resource.plural).get(key);
    if (!object) throw new ApiError(`${key} not found`, { code: 404, reason: "NotFound" });
    return object;
  }

  #create(object: KubeObject): Stored {
    const job = copyOf(object) as Job;
    const key = keyOf(job);
    if (this.jobs.has(key)) throw new ApiError(`${key} already exists`, { code: 409, reason: "AlreadyExists" });
    job.metadata.uid = `job ${this.#version}`;
    job.metadata.creationTimestamp = formatTime(this.now());
    const owner = job.metadata.ownerReferences?.[0]?.uid;
    const beside = [...this.jobs.values()].filter((other) =>
      other.metadata.ownerReferences?.[0]?.uid === owner && !this.isFinished(other)
    );
    this.put("jobs", job);
    this.created.push({ job, at: this.now(), beside: beside.map(({ metadata }) => metadata.name) });
    this.onCreated(job);
    return this.jobs.get(key)!;
  }

  #replaceStatus(object: CronJobObject, manager: string): Stored {
    const before = this.#current(keyOf(object), object.metadata.resourceVersion);
    const others = before.metadata.managedFields?.filter(({ subresource }) => subresource !== "status") ?? [];
    const written = {
      manager,
      operation: "Update" as const,
      subresource: "status",
      time: formatTime(this.now()),
      fieldsV1: { "f:status": { ...(object.status?.lastScheduleTime && { "f:lastScheduleTime": {} }) } },
    };
    const metadata = { ...before.metadata, managedFields: [...others, written] };
    const status = copyOf(object.status);
    if (!this.keepsBackfills) delete status?.backfill;
    if (!this.keepsFailedRuns) delete status?.failedRuns;
    this.put("cronjobs", present({ ...before, metadata, status }));
    return this.cronJobs.get(keyOf(object))!;
  }

  /** A merge patch, refused if it names another version than there is. */
  edit(key: string, { metadata, spec }: Edit): Stored {
    const { resourceVersion = this.cronJobs.get(key)?.metadata.resourceVersion, annotations } = metadata ?? {};
    const before = this.#current(key, resourceVersion ?? "");
    const merged = Object.entries({ ...before.metadata.annotations, ...annotations }).filter(([, text]) =>
      text !== null
    ).filter(([name]) => this.keepsBackfills || name !== BACKFILL_PROGRESS);
    this.put("cronjobs", {
      ...before,
      metadata: {
        ...before.metadata,
        annotations: Object.fromEntries(merged) as Record<string, string>,
        generation: before.metadata.generation! + (spec ? 1 : 0),
      },
      spec: { ...before.spec, ...present<Partial<CronJobObject["spec"]>>(spec ?? {}) },
    });
    return this.cronJobs.get(key)!;
  }

  #patch(resource: Resource, key: string, operations: Operation[]): Stored {
    const object = copyOf(this.#get(resource, key));
    const [failure] = applyPatch(object, operations).filter((error) => error !== null);
    if (failure) throw new ApiError(failure.message, { code: 422, reason: "Invalid" });
    this.put(resource.plural as "jobs", object);
    return this.#get(resource, key);
  }

  /** A strategic merge patch of conditions, refused if it names another version than there is. */
  #patchJobStatus(key: string, { metadata: { uid, resourceVersion }, status }: Job): Stored {
    const before = this.jobs.get(key);
    if (!before) throw new ApiError(`${key} not found`, { code: 404, reason: "NotFound" });
    if (before.metadata.uid !== uid || before.metadata.resourceVersion !== resourceVersion) {
      throw new ApiError("the object has been modified", { code: 409, reason: "Conflict" });
    }
    const patched = status?.conditions ?? [];
    const others = (before.status?.conditions ?? []).filter(({ type }) => !patched.some((one) => one.type === type));
    this.put("jobs", { ...before, status: { ...before.status, conditions: [...others, ...patched] } });
    return this.jobs.get(key)!;
  }

  #current(key: string, resourceVersion: string): CronJobObject {
    const current = this.cronJobs.get(key);
    if (!current) throw new ApiError(`${key} not found`, { code: 404, reason: "NotFound" });
    if (current.metadata.resourceVersion !== resourceVersion) {
      throw new ApiError("the object has been modified", { code: 409, reason: "Conflict" });
    }
    return current;
  }

  #delete(resource: Resource, key: string, uid: string | undefined): null {
    const object = this.#get(resource, key);
    if (uid !== undefined && object.metadata.uid !== uid) throw new ApiError("uid", { code: 409, reason: "Conflict" });
    this.remove(resource.plural as "jobs", key);
    return null;
  }
}

/** A cache that is as far behind as the test lets it be. */
export class LaggingCache<Raw extends Stored, T extends Owned> implements Store<T, "owner"> {
  readonly #objects = new Map<string, T>();
  readonly #changes: readonly Change[];
  readonly #read: (object: Raw) => T;
  readonly #onChange: (change: { type: "set" | "deleted"; object: T }) => void;
  readonly isReady = true;
  #position = 0;

  /** Begins with a list of now. */
  constructor(
    changes: readonly Change[],
    objects: Iterable<Raw>,
    { read, onChange }: {
      read: (object: Raw) => T;
      onChange: (change: { type: "set" | "deleted"; object: T }) => void;
    },
  ) {
    this.#changes = changes;
    this.#read = read;
    this.#onChange = onChange;
    for (const object of objects) this.#objects.set(keyOf(object), read(object));
    this.#position = changes.length;
  }

  get behind(): number {
    return this.#changes.length - this.#position;
  }

  /** Lets so many changes arrive. */
  deliver(count = Infinity): void {
    for (let left = Math.min(count, this.behind); left > 0; left--) {
      const { type, object: raw } = must(this.#changes[this.#position++]);
      const object = this.#read(raw as Raw);
      if (type === "set") this.#objects.set(keyOf(raw), object);
      else this.#objects.delete(keyOf(raw));
      this.#onChange({ type, object });
    }
  }

  /** Lists anew: of all that happened meanwhile it shows only this. */
  relist(objects: Iterable<Raw>): void {
    this.#position = this.#changes.length;
    for (const raw of objects) {
      const object = this.#read(raw);
      this.#objects.set(keyOf(raw), object);
      this.#onChange({ type: "set", object });
    }
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): ReadOnly<T> | undefined {
    return this.#objects.get(key) as ReadOnly<T> | undefined;
  }

  values(): Iterable<ReadOnly<T>> {
    return this.#objects.values() as Iterable<ReadOnly<T>>;
  }

  byIndex(_index: "owner", uid: string): ReadOnly<T>[] {
    return [...this.values()].filter(({ owner }) => owner?.uid === uid);
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }
}

/** Of Jobs: the CronJob that the index finds them by. */
type Owned = Cached & { readonly owner?: { readonly uid: string } | undefined };
