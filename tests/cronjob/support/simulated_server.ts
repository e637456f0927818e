import { type DeepReadonly, keyOf, type KubeObject, type ObjectKey, type Unstored } from "../../../src/kube/object.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import { completedAt, failedAt } from "../../support/ended_job.ts";
import { type Fate, fatefulClient } from "../../support/fateful_client.ts";
import { ObjectStore } from "../../support/object_store.ts";
import { present } from "../../support/present.ts";

export interface Edit {
  metadata?: {
    resourceVersion?: string;
    annotations?: Readonly<Record<string, string | null>>;
    managedFields?: CronJobObject["metadata"]["managedFields"];
  } | undefined;
  spec?: { readonly [Field in keyof CronJobSpec]?: CronJobSpec[Field] | null | undefined } | undefined;
}

/** The truth that a controller works on: CronJobs and Jobs as an API server keeps them, and who wrote their status. */
export class SimulatedServer extends ObjectStore {
  readonly cronJobs = this.collection<CronJobObject>("cronjobs").objects;
  readonly jobs = this.collection<Job>("jobs").objects;
  /** Every Job that was ever created, as it was then, and the others that were unfinished at that moment. */
  readonly created: { job: Job; at: EpochMs; beside: string[] }[] = [];
  readonly requests: string[] = [];
  /** Called with every Job when it is created. */
  onCreated: (job: Job) => void = () => {};

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

  get unfinished(): Job[] {
    return [...this.jobs.values()].filter((job) => !this.isFinished(job));
  }

  edit(key: ObjectKey, edit: Edit): void {
    this.patch("cronjobs", key, { type: "merge", body: edit });
  }

  /** @param manager what the client is called in `managedFields` */
  client(fateOf: () => Fate | Promise<Fate>, manager?: string): KubeClient {
    const noted = (request: string) => {
      this.requests.push(request);
      return fateOf();
    };
    return fatefulClient(this, noted, manager);
  }

  override create<T extends KubeObject>(collection: string, object: T | Unstored<T>): T {
    const owner = object.metadata.ownerReferences?.[0]?.uid;
    const beside = this.unfinished.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner);
    const created = super.create(collection, object);
    const job = created as KubeObject as Job;
    this.created.push({ job, at: this.now(), beside: beside.map(({ metadata }) => metadata.name) });
    this.onCreated(job);
    return created;
  }

  /** The finalizer of `neverTwice` goes at once. */
  protected override isHeld(): boolean {
    return false;
  }

  replaceStatus(collection: string, object: KubeObject, manager: string): KubeObject {
    const before = this.find<CronJobObject>(collection, keyOf(object), object.metadata);
    const { status } = object as CronJobObject;
    const others = before.metadata.managedFields?.filter(({ subresource }) => subresource !== "status") ?? [];
    const written = {
      manager,
      operation: "Update",
      subresource: "status",
      time: formatTime(this.now()),
      fieldsV1: { "f:status": { ...(status?.lastScheduleTime && { "f:lastScheduleTime": {} }) } },
    };
    const metadata = { ...before.metadata, managedFields: [...others, written] };
    return this.put(collection, present<CronJobObject>({ ...before, metadata, status }));
  }
}
