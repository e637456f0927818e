import { isManaged } from "../../../../src/cronjob/api/stewardship.ts";
import { adoptEdit, LET_GO } from "../../../../src/cronjob/adoption/adoption_edits.ts";
import { PRODUCTION, TUTORIAL } from "../../../../src/cronjob/api/flavour.ts";
import type { Job } from "../../../../src/kube/resource.ts";
import type { EventRecord } from "../../../../src/runtime/event_recorder.ts";
import { type EpochMs, formatTime, parseTime } from "../../../../src/base/epoch_ms.ts";
import { ReconcilerDriver } from "../../../cronjob/support/driver.ts";
import { storedCronJob } from "../../../cronjob/support/stored_cron_job.ts";
import { must } from "../../../support/expected.ts";
import { UpstreamCronJobController } from "../../../support/upstream_cronjob_controller.ts";
import { Cluster, KEY, ownersOf } from "./cluster.ts";
import type { Incident, World } from "./world.ts";

const OUR_LEASE = "cronjob-controller-system/cronjob-controller";
const KUBERNETES_LEASE = "kube-system/kube-controller-manager";

/** What became of a run. */
export interface Run {
  /** Undefined for one by hand. */
  readonly scheduledTime: EpochMs | undefined;
  readonly name: string;
  readonly startedAt: EpochMs;
  endedAt?: EpochMs;
  outcome: "Running" | "Succeeded" | "Failed" | "Replaced";
}

/** A world as it goes on: its controllers, its Jobs, and what people do. */
export class Life implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly world: World;
  readonly runs: Run[] = [];
  /** What our controller reported. */
  readonly events: EventRecord[] = [];
  readonly #driver: ReconcilerDriver;
  readonly #kubernetes: UpstreamCronJobController;
  readonly #end = new AbortController();
  readonly #recording: Promise<void>;
  readonly #act: (life: Life, incident: Incident) => Promise<void>;
  #kubernetesLooksAt: EpochMs | undefined;
  /** Changes that kube-controller-manager has not seen. */
  #seenByKubernetes = -1;
  /** Of each controller: whether it is there, and when it comes back. */
  #oursIsUp: boolean;
  #kubernetesIsUp: boolean;
  #comesBack: { at: EpochMs; who: "ours" | "kubernetes" }[] = [];
  #changesRead = 0;

  /** @param act does what the commands do */
  constructor(
    world: World,
    act: (life: Life, incident: Incident) => Promise<void> = () => Promise.reject(new Error("There are no commands")),
  ) {
    const { flavour, createdAt, annotations, spec, controllers } = world;
    this.world = world;
    this.#act = act;
    this.cluster = new Cluster(flavour, controllers === "standalone", createdAt);
    const { server } = this.cluster;
    server.onCreated = (job) => {
      const time = formatTime(this.cluster.now);
      server.put("jobs", { ...job, status: { startTime: time, active: 1, ready: 1 } });
    };
    const applied = storedCronJob(flavour, { createdAt, annotations, spec: { suspend: false, ...spec } });
    server.put("cronjobs", ownersOf(applied, "kubectl-client-side-apply", createdAt));
    this.#oursIsUp = controllers !== "kubernetes";
    this.#kubernetesIsUp = ["kubernetes", "beside", "trial"].includes(controllers);
    this.#recording = this.cluster.recorder.run(this.#end.signal);
    this.#driver = new ReconcilerDriver({
      flavour,
      server,
      key: KEY,
      now: () => this.cluster.now,
      prompt: true,
      isOurs: controllers === "beside" && flavour.adoptable ? isManaged : undefined,
      onEvent: (event) => {
        this.events.push(event);
        this.cluster.recorder.record(event);
      },
    });
    this.#kubernetes = new UpstreamCronJobController(
      server.client(() => "ok", "kube-controller-manager"),
      () => this.cluster.now,
      (event) => this.cluster.noteKubernetesEvent(event),
    );
    if (this.#oursIsUp) this.#lead();
    // kube-controller-manager is there in every cluster, whether it runs CronJobs or not.
    if (controllers !== "standalone") {
      this.cluster.holdings.set(KUBERNETES_LEASE, { holder: "kcm-0_1", since: createdAt - 1_000_000 });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#recording;
  }

  get now(): EpochMs {
    return this.cluster.now;
  }

  /** Which controller starts this CronJob's runs, as things are. */
  get runner(): "ours" | "kubernetes" | "nobody" {
    const { flavour, controllers } = this.world;
    const isOurs = !flavour.adoptable || controllers === "ours" || controllers === "standalone" ||
      isManaged(this.cluster.cronJob);
    if (
      !isOurs || this.cluster.cronJob.metadata.annotations?.["cronjob-controller.dev/managed"] === "true" &&
        this.cluster.cronJob.spec.suspend !== true
    ) {
      return this.#kubernetesIsUp ? "kubernetes" : "nobody";
    }
    return this.#oursIsUp ? "ours" : "nobody";
  }

  /** Lets time pass up to an instant, with all that happens until then. */
  async until(end: EpochMs): Promise<void> {
    await this.#work();
    for (;;) {
      const at = Math.min(...this.#instants());
      if (at > end) break;
      this.cluster.now = at;
      await this.#happen();
      await this.#work();
    }
    this.cluster.now = end;
    await this.#work();
  }

  #pending = 0;

  #instants(): EpochMs[] {
    const { incidents } = this.world;
    return [
      ...this.#activeEnds().map(({ endsAt }) => endsAt),
      ...this.#comesBack.map(({ at }) => at),
      ...this.#pending < incidents.length ? [must(incidents[this.#pending]).at] : [],
      ...this.#oursIsUp && this.#driver.wakeAt !== undefined ? [this.#driver.wakeAt] : [],
      ...this.#kubernetesIsUp && this.#kubernetesLooksAt !== undefined ? [this.#kubernetesLooksAt] : [],
    ].map((at) => Math.max(at, this.now));
  }

  async #happen(): Promise<void> {
    this.endJobs();
    for (const one of this.#comesBack.filter(({ at }) => at <= this.now)) this.#comeBack(one.who);
    this.#comesBack = this.#comesBack.filter(({ at }) => at > this.now);
    const { incidents } = this.world;
    while (this.#pending < incidents.length && must(incidents[this.#pending]).at <= this.now) {
      await this.#undergo(must(incidents[this.#pending++]));
    }
    if (this.#oursIsUp && this.#driver.wakeAt !== undefined && this.#driver.wakeAt <= this.now) {
      this.#driver.deliverAll();
      await this.#driver.wakeUp();
    }
  }

  /** Both controllers, until nothing is left to do. */
  async #work(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      const before = this.#changes();
      if (this.#oursIsUp) {
        this.#driver.deliverAll();
        await this.#driver.work();
      }
      await this.#letKubernetesLook();
      this.#noteRuns();
      if (this.#changes() === before) return;
    }
    throw new Error("The controllers never come to rest");
  }

  async #letKubernetesLook(): Promise<void> {
    const isDue = this.#kubernetesLooksAt !== undefined && this.#kubernetesLooksAt <= this.now;
    if (!this.#kubernetesIsUp || !this.world.flavour.adoptable) return;
    if (!isDue && this.#seenByKubernetes === this.#changes()) return;
    this.#seenByKubernetes = this.#changes();
    const { server, cronJob } = this.cluster;
    this.#kubernetesLooksAt = await this.#kubernetes.syncOne(cronJob, [...server.jobs.values()]);
  }

  #changes(): number {
    return this.cluster.server.version;
  }

  async #undergo(incident: Incident): Promise<void> {
    switch (incident.do) {
      case "edit":
        return this.cluster.edit("kubectl-edit", { spec: incident.spec });
      case "annotate":
        return this.cluster.edit("kubectl-annotate", { annotations: incident.annotations });
      case "adopt":
        return this.cluster.edit("cronjob-controller-adoption", adoptEdit(this.cluster.cronJob) as never);
      case "release":
        if (isManaged(this.cluster.cronJob)) this.cluster.edit("cronjob-controller-adoption", LET_GO as never);
        return;
      case "outage":
        return this.#goAway(incident);
      default:
        await this.#act(this, incident);
    }
  }

  #goAway({ who, seconds, isGivenBack }: Extract<Incident, { do: "outage" }>): void {
    const holding = this.cluster.holdings.get(who === "ours" ? OUR_LEASE : KUBERNETES_LEASE);
    const isUp = who === "ours" ? this.#oursIsUp : this.#kubernetesIsUp;
    if (!isUp) return;
    if (holding) Object.assign(holding, { endedAt: this.now, isGivenBack });
    if (who === "ours") this.#oursIsUp = false;
    else this.#kubernetesIsUp = false;
    if (seconds !== undefined) this.#comesBack.push({ at: this.now + seconds * 1_000, who });
  }

  #comeBack(who: "ours" | "kubernetes"): void {
    if (who === "ours") {
      this.#oursIsUp = true;
      this.#lead();
      this.#driver.boot();
      return;
    }
    this.#kubernetesIsUp = true;
    this.#seenByKubernetes = -1;
    this.cluster.holdings.set(KUBERNETES_LEASE, { holder: "kcm-0_2", since: this.now });
  }

  #lead(): void {
    const { controllers } = this.world;
    const holder = `cronjob-controller-${this.now.toString(36)}`;
    const serves = { holder, apis: APIS, managedOnly: controllers === "beside", namespaces: [] };
    const annotations = { "cronjob-controller.dev/serves": JSON.stringify(serves) };
    this.cluster.holdings.set(OUR_LEASE, { holder, since: this.now, annotations });
  }

  #activeEnds(): { job: Job; endsAt: EpochMs }[] {
    const { server } = this.cluster;
    return server.unfinished.map((job) => ({
      job,
      endsAt: parseTime(job.metadata.creationTimestamp)! + this.world.durationSeconds * 1_000,
    }));
  }

  /** Ends the Jobs whose time is over. */
  endJobs(): void {
    for (const { job, endsAt } of this.#activeEnds().filter(({ endsAt }) => endsAt <= this.now)) {
      const run = must(this.runs.find(({ name }) => name === job.metadata.name));
      const number = this.runs.indexOf(run) + 1;
      const succeeds = this.world.failsEvery === 0 || number % this.world.failsEvery !== 0;
      Object.assign(run, { endedAt: endsAt, outcome: succeeds ? "Succeeded" : "Failed" });
      this.cluster.server.finish(job, succeeds, endsAt);
    }
  }

  /** What has happened to Jobs. */
  #noteRuns(): void {
    const { server, flavour } = this.cluster;
    for (const { job, at } of server.created.slice(this.runs.length)) {
      const scheduledTime = parseTime(job.metadata.annotations?.[flavour.scheduledTimeAnnotation]);
      this.runs.push({ name: job.metadata.name, scheduledTime, startedAt: at, outcome: "Running" });
    }
    const { changes } = server.collection("jobs");
    for (const { type, object } of changes.slice(this.#changesRead)) {
      if (type !== "DELETED") continue;
      const run = this.runs.find(({ name }) => name === object.metadata.name);
      if (run?.outcome === "Running") Object.assign(run, { outcome: "Replaced", endedAt: this.now });
    }
    this.#changesRead = changes.length;
  }
}

const APIS = [TUTORIAL.apiVersion, PRODUCTION.apiVersion, "batch/v1"];
