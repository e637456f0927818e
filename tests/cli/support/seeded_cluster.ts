import type { ApiServerOptions } from "../../../src/apiserver/server.ts";
import { VERSION_INFO } from "../../../src/apiserver/version.ts";
import type { AddCommand } from "../../../src/cli/command.ts";
import { claimLease } from "../../../src/cli/standalone/lease.ts";
import { BATCH, type Flavour, FLAVOURS, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobSpec, CronJobStatus } from "../../../src/cronjob/api/types.ts";
import { type Serves, writeServes } from "../../../src/cronjob/api/serves.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { EVENTS, type Job, JOBS, LEASES, NAMESPACES, PODS } from "../../../src/kube/resource.ts";
import { startTestApiServer, type TestApiServer } from "../../support/api_server.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { cronJobOf, POD_TEMPLATE } from "../../support/cron_job.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";
import { completedAt, failedAt } from "../../support/ended_job.ts";
import type { Loose } from "../../../src/base/loose.ts";
import { type Printed, runCommand } from "./run_command.ts";
import { controlledBy, jobOf } from "../../support/job.ts";

export interface SeededCronJob {
  name: string;
  namespace?: string;
  api?: Flavour;
  spec?: Loose<Partial<CronJobSpec>> | undefined;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  status?: Partial<CronJobStatus>;
  jobs?: SeededJob[];
  /** Reason and message of a Warning about it, and when. */
  warning?: [reason: string, message: string, at: string];
}

/** A Job for a scheduled time, made then. */
export interface SeededJob {
  at: string;
  /** When it ended; absent: it is active. */
  ended?: string;
  failed?: boolean;
  /** What its Pod waits for, or the exit code of it. */
  waiting?: [reason: string, message: string];
  exitCode?: number;
  /** Why it gets no Pod, or no other one. */
  refused?: string;
}

const DAY = "2026-03-10";

/** `10:00` or `03-09 10:00`, as RFC 3339. */
export function time(clock: string): string {
  const [hour = "", date = DAY.slice(5)] = clock.split(" ").reverse();
  return `2026-${date}T${hour}${hour.length === 5 ? ":00" : ""}Z`;
}

/** Says the time that the objects' story has reached. */
class StoryClock extends FakeClock {
  #at = 0;

  set(clock: string): void {
    this.#at = Date.parse(clock);
  }

  override now(): number {
    return this.#at;
  }
}

/** Has our server call itself what a cluster's does, until that is disposed of: no `standalone` runs what is seeded. */
export function asRealCluster(): Disposable {
  const { gitCommit } = VERSION_INFO;
  VERSION_INFO.gitCommit = "bdc0b4e8f0a9a3b9ea4e8b3a7f1f1c6f2f7e0c11";
  return { [Symbol.dispose]: () => void (VERSION_INFO.gitCommit = gitCommit) };
}

/** Our own API server with objects as controllers of a `standalone` leave them behind; nothing works on them. */
export class SeededCluster implements AsyncDisposable {
  readonly kubeconfig: string;

  private constructor(readonly api: TestApiServer, readonly clock: StoryClock) {
    this.kubeconfig = api.server.kubeconfigPath;
  }

  static async start(
    now: string,
    cronJobs: readonly SeededCronJob[],
    options: Partial<ApiServerOptions> = {},
  ): Promise<SeededCluster> {
    const clock = new StoryClock();
    clock.set(time("03-01 00:00"));
    const cluster = new SeededCluster(await startTestApiServer({ clock, ...options }), clock);
    await cluster.api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
    if (VERSION_INFO.gitCommit === "cronjob-controller") {
      await claimLease(cluster.api.client, { clock, flavours: FLAVOURS });
    }
    for (const cronJob of cronJobs) await cluster.#seed(cronJob);
    clock.set(time(now));
    return cluster;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api[Symbol.asyncDispose]();
  }

  /** Runs a command against it, as a user of its kubeconfig. Errors of the command reject. */
  run(add: AddCommand, command: string, ...args: string[]): Promise<Printed> {
    return runCommand((program) => add(program, this.clock), command, "--kubeconfig", this.kubeconfig, ...args);
  }

  async #seed(seeded: SeededCronJob): Promise<void> {
    const { client } = this.api;
    const { name, namespace = "default", api = TUTORIAL, spec, annotations, labels, status, jobs = [] } = seeded;
    this.clock.set(time("03-01 00:00"));
    if (namespace !== "default") await this.#ensureNamespace(namespace);
    const given = cronJobOf(api, { name, namespace, annotations, labels, spec });
    const cronJob = await client.create(api.resource, given);
    const newest = jobs.map(({ at }) => time(at)).sort().at(-1);
    for (const job of jobs) await this.#seedJob(job, cronJob, api);
    const written = { lastScheduleTime: newest, ...status };
    if (Object.values(written).some((value) => value !== undefined)) {
      const body = { status: written };
      await client.patch(api.resource, { name, namespace }, { type: "merge", body }, { subresource: "status" });
    }
    if (seeded.warning) {
      const [reason, message, at] = seeded.warning;
      await this.#warn({ ...cronJob, kind: "CronJob" }, [reason, message, time(at)]);
    }
  }

  async addLease(
    namespace: string,
    name: string,
    { heldSince, renewed, serves, holder = "replica-1" }: {
      heldSince: string;
      renewed: string;
      serves?: Serves;
      holder?: string;
    },
  ) {
    await this.#ensureNamespace(namespace);
    await this.api.client.create(LEASES, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace, ...serves && { annotations: writeServes(serves, holder) } },
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: 15,
        acquireTime: time(heldSince).replace("Z", ".000000Z"),
        renewTime: time(renewed).replace("Z", ".000000Z"),
      },
    });
  }

  async #ensureNamespace(name: string): Promise<void> {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await this.api.client.create(NAMESPACES, namespace).catch(() => {/* another CronJob lies in it */});
  }

  async #seedJob({ at, ended, failed, waiting, exitCode, refused }: SeededJob, cronJob: CronJobObject, api: Flavour) {
    const { client } = this.api;
    const { name: cronJobName, namespace = "default" } = cronJob.metadata;
    const slot = time(at);
    this.clock.set(slot);
    const name = `${cronJobName}-${Math.floor(Date.parse(slot) / 1_000 / api.nameUnitSeconds)}`;
    const annotations = { [api.scheduledTimeAnnotation]: slot };
    const job = await client.create(JOBS, jobOf({ name, namespace, annotations, owner: cronJob }));
    const status = ended === undefined
      ? refused !== undefined
        ? { startTime: slot, ready: 0, failed: exitCode === undefined ? 0 : 1 }
        : { startTime: slot, active: 1, ready: waiting ? 0 : 1 }
      : (failed ? failedAt : completedAt)(time(ended), slot);
    await client.patch(JOBS, { name, namespace }, { type: "merge", body: { status } }, { subresource: "status" });
    if (waiting || exitCode !== undefined) {
      await this.#seedPod(job, waiting, exitCode);
    }
    if (refused !== undefined) {
      const after = new Date(Date.parse(slot) + 60_000).toISOString();
      await this.#warn({ ...job, kind: "Job" }, ["FailedCreate", refused, after]);
    }
  }

  async #seedPod(
    job: Job,
    waiting: [reason: string, message: string] | undefined,
    exitCode: number | undefined,
  ): Promise<void> {
    const { client } = this.api;
    const { namespace = "default" } = job.metadata;
    const name = `${job.metadata.name}-x`;
    const labels = { "job-name": job.metadata.name };
    await client.create(PODS, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace, labels, ownerReferences: [controlledBy(job)] },
      spec: POD_TEMPLATE.spec,
    });
    const state = waiting
      ? { waiting: { reason: waiting[0], message: waiting[1] } }
      : { terminated: { exitCode, reason: "Error" } };
    const status = {
      phase: waiting ? "Pending" : "Failed",
      containerStatuses: [{ name: "main", image: "busybox", imageID: "", ready: false, restartCount: 0, state }],
    };
    await client.patch(PODS, { name, namespace }, { type: "merge", body: { status } }, { subresource: "status" });
  }

  async #warn(
    { apiVersion, kind, metadata: { name, namespace = "default", uid } }: KubeObject & { kind: string },
    [reason, message, at]: [string, string, string],
  ) {
    await this.api.client.create(EVENTS, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${name}.${reason.toLowerCase()}`, namespace },
      involvedObject: { apiVersion, kind, name, namespace, uid },
      type: "Warning",
      reason,
      message,
      count: 1,
      firstTimestamp: at,
      lastTimestamp: at,
    });
  }
}

export { BATCH, TUTORIAL };
