import { BACKFILL } from "../../../src/cronjob/api/annotations.ts";
import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import { annotationOf } from "../../../src/cronjob/api/spec_fields.ts";
import { BATCH, type Flavour } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { EVENTS, type Job, JOBS, type Pod, PODS } from "../../../src/kube/resource.ts";
import { cronJobOf } from "../../support/cron_job.ts";
import { completedAt, failedAt } from "../../support/ended_job.ts";
import { eventually } from "../../support/program.ts";
import { jobOf } from "../../support/job.ts";

/** What people, and the cluster's own controllers, do to CronJobs and Jobs in one namespace. */
export class Life {
  readonly #client: KubeClient;
  readonly #namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  create(api: Flavour, name: string, spec: Partial<CronJobSpec>, annotations = {}): Promise<CronJobObject> {
    // Nothing but what is started by hand.
    const given = { ...this.#named(name), annotations, spec: { schedule: "0 0 1 1 *", ...spec } };
    return this.#client.create(api.resource, cronJobOf(api, given));
  }

  async annotate(api: Flavour, name: string, annotations: Record<string, string>, spec = {}): Promise<void> {
    const body = { metadata: { annotations }, spec };
    await this.#client.patch(api.resource, this.#named(name), { type: "merge", body });
  }

  trigger(api: Flavour, name: string, value: string): Promise<void> {
    return this.annotate(api, name, { "cronjob-controller.dev/trigger": value });
  }

  /** One that keeps failed Jobs until a success, and runs one time of the past. */
  createKeepingUntilSuccess(api: Flavour, name: string, spec: Partial<CronJobSpec>, annotations = {}) {
    const backfill = { id: "a", from: "2025-12-31T00:00:00Z", to: "2026-01-02T00:00:00Z" };
    if (api.extrasIn === "spec") {
      return this.create(api, name, { ...spec, backfill, failedJobs: "KeepUntilSuccess" }, annotations);
    }
    const settings = { [BACKFILL]: JSON.stringify(backfill), [annotationOf("failedJobs")]: "KeepUntilSuccess" };
    return this.create(api, name, spec, { ...annotations, ...settings });
  }

  /** Once it is recorded how a failed run of it ended. */
  async failedRun(api: Flavour, name: string): Promise<void> {
    await eventually(`a failed run of ${name}`, async () => {
      const cronJob = await this.#client.get(api.resource, this.#named(name));
      return readCronJob(api, cronJob).recordedFailedRuns.length > 0;
    });
  }

  /** The Jobs that begin with the CronJob's name, once there are so many. */
  jobs(name: string, count: number): Promise<Job[]> {
    return eventually(`${count} Jobs of ${name}`, async () => {
      const { items } = await this.#client.list(JOBS, { namespace: this.#namespace });
      const found = items.filter(({ metadata }) => metadata.name.startsWith(`${name}-`));
      return found.length === count && found;
    });
  }

  /** As kube-controller-manager's Job controller would end it. */
  async fail({ metadata: { name, creationTimestamp } }: Job): Promise<void> {
    await this.#setStatus(name, failedAt(creationTimestamp));
  }

  /** The same: its Pods don't start. */
  async wait({ metadata: { name, creationTimestamp } }: Job): Promise<void> {
    await this.#setStatus(name, { startTime: creationTimestamp, active: 1, ready: 0 });
  }

  /** The same. */
  async succeed({ metadata: { name, creationTimestamp } }: Job): Promise<void> {
    await this.#setStatus(name, completedAt(creationTimestamp));
  }

  async #setStatus(name: string, status: Job["status"]): Promise<void> {
    await this.#client.patch(JOBS, this.#named(name), { type: "merge", body: { status } }, { subresource: "status" });
  }

  /** A run that kube-controller-manager started. */
  async nativeJob(owner: CronJobObject): Promise<Job> {
    const annotations = { [BATCH.scheduledTimeAnnotation]: "2025-02-20T21:20:00Z" };
    const named = { name: `${owner.metadata.name}-29000000`, namespace: this.#namespace };
    return await this.#client.create(JOBS, jobOf({ ...named, annotations, owner }));
  }

  async managedJob(name: string): Promise<void> {
    const spec = { managedBy: "cronjob-controller.dev/job-controller" };
    await this.#client.create(JOBS, jobOf({ name, namespace: this.#namespace, spec }));
  }

  async patchJob(name: string, body: unknown): Promise<void> {
    await this.#client.patch(JOBS, this.#named(name), { type: "merge", body });
  }

  getJob(name: string): Promise<Job> {
    return this.#client.get(JOBS, this.#named(name));
  }

  pods(job: string, count: number): Promise<Pod[]> {
    return eventually(`${count} Pods of ${job}`, async () => {
      const { items } = await this.#client.list(PODS, { namespace: this.#namespace });
      const found = items.filter(({ metadata }) => metadata.name.startsWith(`${job}-`));
      return found.length === count && found;
    });
  }

  /** As the kubelet would report it. */
  async podSucceeds({ metadata: { name } }: Pod): Promise<void> {
    const body = { status: { phase: "Succeeded" } };
    await this.#client.patch(PODS, this.#named(name), { type: "merge", body }, { subresource: "status" });
  }

  /** An Event that was counted so often. */
  async event(reason: string, count = 1): Promise<void> {
    await eventually(`Event ${reason} ${count} times`, async () => {
      const { items } = await this.#client.list(EVENTS, { namespace: this.#namespace });
      return items.some((event) => event.reason === reason && (event.count ?? 1) >= count);
    });
  }

  #named(name: string) {
    return { name, namespace: this.#namespace };
  }
}
