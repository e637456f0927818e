import { BATCH, FLAVOURS } from "../../../src/cronjob/api/flavour.ts";
import { scheduledJobName } from "../../../src/cronjob/api/job_name.ts";
import { type ChildCache, followChildren } from "../../../src/cronjob/child_cache.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";
import type { Unstored } from "../../../src/kube/object.ts";
import { type Job, JOBS } from "../../../src/kube/resource.ts";
import { ClusterArchive } from "../../../src/run_archive/cluster_archive.ts";
import type { Peers } from "../../../src/run_archive/peers.ts";
import { FakeApi } from "../../runtime/support/fake_api.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { jobOf } from "../../support/job.ts";

const NAMESPACE = "default";
export const BEGIN = Date.parse("2026-03-10T10:00:00Z");

/** Shows whole milliseconds, as a machine's clock does. */
class WholeClock extends FakeClock {
  override now(): EpochMs {
    return Math.floor(super.now());
  }
}

/** A cluster in memory, whose Jobs come, end and go as a test says, and replicas that keep their runs in real databases. */
export class ArchivedCluster implements AsyncDisposable {
  readonly clock = new WholeClock(BEGIN);
  readonly api = new FakeApi(() => this.clock.now());
  readonly folder = Deno.makeTempDirSync({ prefix: "archive-" });
  readonly #replicas: Replica[] = [];

  /** @param options.peers makes each read any of them that is alive, perhaps itself, as over a Service */
  replica({ peers }: { readonly peers?: Peers } = {}): Replica {
    const folder = `${this.folder}/${this.#replicas.length}`;
    const replica = new Replica({ folder, api: this.api, clock: this.clock, peers });
    this.#replicas.push(replica);
    return replica;
  }

  /** A Job of a CronJob for a scheduled time, or one of no CronJob. Returns its name. */
  create(cronJob: string, scheduledTime: EpochMs, { isForeign = false } = {}): string {
    const name = scheduledJobName(cronJob, BATCH, scheduledTime);
    const metadata = { name: cronJob, uid: `uid-of-${cronJob}` };
    const owner = isForeign ? undefined : { apiVersion: "batch/v1", kind: "CronJob", metadata };
    const annotations = { [BATCH.scheduledTimeAnnotation]: formatTime(scheduledTime) };
    this.api.put(JOBS, jobOf({ name, annotations, owner }));
    return name;
  }

  end(name: string, outcome: "Succeeded" | "Failed"): void {
    const at = formatTime(this.clock.now());
    const type = outcome === "Succeeded" ? "Complete" : "Failed";
    const condition = { type, status: "True", lastTransitionTime: at, reason: outcome };
    this.api.put(JOBS, { ...this.#job(name), status: { conditions: [condition] } } as Unstored<Job>);
  }

  /** As `kubectl delete cronjob --cascade=orphan` does. */
  orphan(name: string): void {
    const { ownerReferences: _, ...metadata } = this.#job(name).metadata;
    this.api.put(JOBS, { ...this.#job(name), metadata } as Unstored<Job>);
  }

  remove(name: string): void {
    this.api.remove(JOBS, { namespace: NAMESPACE, name });
  }

  #job(name: string): Job {
    return this.api.all(JOBS).find(({ metadata }) => metadata.name === name) as Job;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.#replicas) await replica.stop();
    Deno.removeSync(this.folder, { recursive: true });
  }
}

interface ReplicaOptions {
  readonly folder: string;
  readonly api: FakeApi;
  readonly clock: FakeClock;
  readonly peers: Peers | undefined;
}

/** A process with an archive, which can be ended and begun again. */
export class Replica {
  readonly #options: ReplicaOptions;
  #lives = 0;
  #life: { readonly stop: AbortController; readonly running: Promise<unknown>; readonly jobs: ChildCache } | undefined;
  archive!: ClusterArchive;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    Deno.mkdirSync(this.#folder, { recursive: true });
  }

  get #folder(): string {
    return `${this.#options.folder}/${this.#lives}`;
  }

  get database(): string {
    return `${this.#folder}/history.sqlite`;
  }

  get isAlive(): boolean {
    return this.#life !== undefined;
  }

  get isWatching(): boolean {
    return this.#life?.jobs.connected ?? false;
  }

  async start(): Promise<void> {
    const { api: client, clock, peers } = this.#options;
    const jobs = followChildren({ client, clock, flavours: FLAVOURS });
    const limits = { runsMs: 90 * 86_400_000, bytes: 10_000_000 };
    this.archive = new ClusterArchive({ database: this.database, clock, jobs, peers, ...limits });
    const stop = new AbortController();
    const running = Promise.all([jobs.run(stop.signal), this.archive.run(stop.signal)]);
    this.#life = { stop, running, jobs };
    await clock.advance(0);
  }

  /** As a SIGKILL does: the next life has the files as they are at this moment, before anything of this one can end. */
  async kill(): Promise<void> {
    const before = this.#folder;
    this.#lives++;
    Deno.mkdirSync(this.#folder);
    for (const { name } of Deno.readDirSync(before)) {
      // The operating system forgets shared memory with the process.
      if (!name.endsWith("-shm")) Deno.copyFileSync(`${before}/${name}`, `${this.#folder}/${name}`);
    }
    await this.stop();
  }

  async stop(): Promise<void> {
    this.#life?.stop.abort();
    await this.#life?.running;
    this.#life = undefined;
  }

  /** By Job, or by reason where there is none. */
  outcomes(cronJob: string): Record<string, string> {
    const runs = this.archive.runs({ cronJobs: [`${NAMESPACE}/${cronJob}`] }).map(({ run }) => run);
    return Object.fromEntries(runs.map(({ job, reason, outcome }) => [job ?? reason, outcome]));
  }
}
