import { setImmediate } from "node:timers/promises";
import type { ObjectKey } from "../kube/object.ts";
import { type Node, NODES, type Pod, PODS } from "../kube/resource.ts";
import { aborted, readyOrAborted } from "../runtime/abort.ts";
import { endsWithin } from "../runtime/clock.ts";
import { Controller } from "../runtime/controller.ts";
import { Informer } from "../runtime/informer.ts";
import { Recent } from "../runtime/recent.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Change } from "../runtime/store.ts";
import { loggerFor } from "../telemetry/logging.ts";
import type { KubeletOptions } from "./kubelet_options.ts";
import { keepNodeLease } from "./node_lease.ts";
import { defaultNodeName, NodeRegistration } from "./node_registration.ts";
import { openRuntimes } from "./open_runtimes.ts";
import type { PodContext } from "./pod_context.ts";
import { PodDirectory } from "./files/pod_directory.ts";
import { PodWorker } from "./pod_worker.ts";
import { PodSessions } from "./pod_sessions.ts";
import { Pulse } from "./pulse.ts";
import { LOG_LIMITS } from "./files/run_log.ts";
import { Scheduler } from "./scheduler.ts";
import { TaintEvictions } from "./taint_evictions.ts";
import { repulsion } from "./taints.ts";

const logger = loggerFor("kubelet");

/** As many as Kubernetes' kubelet takes. */
const MAX_PODS = 110;

/** After the last SIGKILL of a clean stop, for processes to be gone and statuses to be written. */
const STOP_MARGIN_MS = 3_000;

/** After a failure to run a Pod: a full disk, an API server that is away. */
const RETRY = { initialMs: 2_000, maxMs: 60_000 };

/** The number of Jobs whose Pods' Events are remembered. */
const REMEMBERED = 1_000;

/**
 * Runs the Pods of an API server on this machine: those bound to this node, and those bound to no node, as there is no
 * scheduler.
 *
 * Guarantees: a container's run is never started twice, and nothing is left behind: what a killed program leaves is taken
 * up at the next start, or reported with its true exit code.
 */
export class Kubelet implements Runnable {
  readonly name = "kubelet";
  readonly nodeName: string;
  readonly #options: KubeletOptions;
  readonly #context: PodContext;
  readonly #informer: Informer<Pod>;
  /** Of this node alone. */
  readonly #nodes: Informer<Node>;
  readonly #registration: NodeRegistration;
  readonly #scheduler: Scheduler;
  readonly #evictions: TaintEvictions;
  readonly #controller: Controller;
  /** By the Pods' uids. */
  readonly #workers = new Map<string, PodWorker>();
  /** Those whose Pods are not over. */
  readonly #atWork = new Set<PodWorker>();
  /** Pods that wait until fewer are at work, in order of arrival. */
  readonly #waiting = new Map<string, Pod>();
  readonly #event: PodContext["event"] = (pod, type, reason, message) =>
    this.#options.recorder?.record({ regarding: pod, type, reason, message });
  #turns: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: KubeletOptions) {
    const { client, clock, maxPods = MAX_PODS, version = "v1.36.0" } = options;
    this.#options = options;
    this.nodeName = options.nodeName ?? defaultNodeName();
    const { nodeName: name } = this;
    this.#registration = new NodeRegistration({ client, clock, name, maxPods, version });
    this.#informer = new Informer({ client, clock, resource: PODS });
    this.#nodes = new Informer({ client, clock, resource: NODES, fieldSelector: `metadata.name=${name}` });
    this.#scheduler = new Scheduler({ client, clock, nodeName: name, event: this.#event });
    this.#evictions = new TaintEvictions({ client, clock, event: this.#event });
    this.#context = this.#makeContext();
    this.#controller = new Controller({
      name: this.name,
      clock,
      concurrency: maxPods,
      waitFor: [this.#informer],
      backoff: RETRY,
      // The kubelet's own stop has waited before.
      drainMs: 0,
      reconcile: async (key) => await this.#workers.get(uidOf(key))?.reconcile(),
    });
  }

  /** Resolves once it knows the Pods that are there. */
  ready(): Promise<void> {
    return Promise.all([this.#informer.ready(), this.#nodes.ready()]).then(() => {});
  }

  async run(signal: AbortSignal): Promise<void> {
    Deno.mkdirSync(this.#context.podsDirectory, { recursive: true, mode: 0o700 });
    using _changes = this.#informer.onChange((change) => this.#take(change));
    using _nodeChanges = this.#nodes.onChange(() => this.#nodeChanged());
    // The watch goes on during the stop: a Pod that is deleted meanwhile is still let go of.
    const watching = new AbortController();
    const watch = Promise.all([this.#informer.run(watching.signal), this.#nodes.run(watching.signal)]);
    const orphans = readyOrAborted([this.#informer, this.#nodes], watching.signal).then((ready) => {
      if (!ready) return;
      this.#admit();
      this.#adoptOrphans();
    });
    const lease = { ...this.#options, name: this.nodeName };
    const node = Promise.all([this.#registration.run(signal), keepNodeLease(lease, signal)]);
    const work = this.#controller.run(watching.signal);
    try {
      await Promise.race([aborted(signal), watch, orphans.then(() => aborted(signal)), node, work]);
      await this.#shutdown();
    } finally {
      watching.abort();
      this.#evictions.close();
    }
    await Promise.all([watch, orphans, node, work, this.#context.runtimes.close()]);
  }

  #take(change: Change<Pod>): void {
    if (change.type === "deleted") return this.#forget(change.object.metadata.uid);
    if (change.previous && change.previous.metadata.uid !== change.object.metadata.uid) {
      this.#forget(change.previous.metadata.uid);
    }
    const pod = change.object as Pod;
    const { uid } = pod.metadata;
    if (pod.spec?.nodeName === this.nodeName) this.#evictions.podChanged(pod);
    const worker = this.#workers.get(uid);
    if (worker) return worker.update(pod);
    if (this.#stopping || !this.#isOurs(pod)) return;
    this.#waiting.set(uid, pod);
    this.#admit();
  }

  #nodeChanged(): void {
    const pods = [...this.#informer.store.values()] as Pod[];
    this.#evictions.nodeChanged(this.#node, pods.filter(({ spec }) => spec?.nodeName === this.nodeName));
    this.#admit();
  }

  get #node(): Node | undefined {
    return this.#nodes.store.get(this.nodeName) as Node | undefined;
  }

  #forget(uid: string): void {
    this.#waiting.delete(uid);
    this.#evictions.forget(uid);
    this.#scheduler.forget(uid);
    this.#workers.get(uid)?.gone();
  }

  /** Bound here, or to be bound by us in place of the scheduler. */
  #isOurs(pod: Pod): boolean {
    const { nodeName, schedulerName = "default-scheduler", schedulingGates = [] } = pod.spec as
      & NonNullable<Pod["spec"]>
      & { schedulingGates?: unknown[] };
    if (nodeName) return nodeName === this.nodeName;
    return schedulerName === "default-scheduler" && schedulingGates.length === 0;
  }

  /** Begins with the waiting Pods that nothing stands against. */
  #admit(): void {
    // Whether the node takes Pods is not known before.
    if (!this.#nodes.synced) return;
    for (const [uid, pod] of this.#waiting) {
      const obstacle = this.#obstacleTo(pod);
      if (obstacle) {
        this.#scheduler.tellObstacle(pod, obstacle);
        continue;
      }
      this.#waiting.delete(uid);
      this.#scheduler.forget(uid);
      this.#begin(pod);
    }
  }

  /** One that has begun in an earlier life has its place. */
  #obstacleTo(pod: Pod): string | undefined {
    if (pod.status?.startTime !== undefined || pod.metadata.deletionTimestamp !== undefined) return undefined;
    const repelled = pod.spec?.nodeName ? undefined : repulsion(pod, this.#node);
    if (repelled) return repelled;
    const { maxPods = MAX_PODS } = this.#options;
    return this.#atWork.size < maxPods ? undefined : `Too many pods: ${maxPods} at a time, this one waits for its turn`;
  }

  #begin(pod: Pod): void {
    const { uid } = pod.metadata;
    const worker = new PodWorker(pod, this.#context, (key) => this.#controller.enqueue(key));
    this.#workers.set(uid, worker);
    this.#atWork.add(worker);
    worker.over.then(() => {
      this.#atWork.delete(worker);
      this.#admit();
    });
    worker.removed.then(() => this.#workers.delete(uid));
    worker.update(pod);
  }

  /** What lies in the data directory for Pods that the API no longer has: processes are ended, files removed. */
  #adoptOrphans(): void {
    for (const { name: uid } of Deno.readDirSync(this.#context.podsDirectory)) {
      if (this.#workers.has(uid) || this.#waiting.has(uid)) continue;
      const directory = new PodDirectory(this.#context.podsDirectory, uid);
      const pod = directory.readPod();
      if (!pod) {
        directory.remove();
        continue;
      }
      this.#begin(pod);
      this.#workers.get(uid)!.gone();
    }
    this.#context.runtimes.removeStrangers((uid) => this.#workers.has(uid) || this.#waiting.has(uid));
  }

  async #shutdown(): Promise<void> {
    const { clock, stopGraceMs = 5_000, onStop } = this.#options;
    this.#stopping = true;
    const killAt = clock.now() + stopGraceMs;
    const workers = [...this.#workers.values()];
    const ends = onStop === "leave"
      ? Promise.all(workers.map((worker) => worker.leave()))
      : Promise.all(workers.map((worker) => worker.shutdown(killAt)))
        .then(() => this.#registration.leave())
        .catch((error) => logger.warn("Cannot report the end of the node: {error}", { error }));
    if (!await endsWithin(clock, stopGraceMs + STOP_MARGIN_MS, ends)) logger.warn("Some pods did not end in time");
    for (const worker of this.#workers.values()) worker.abandon();
  }

  #makeContext(): PodContext {
    const { clock, dataDir, runtimes, sessions = new PodSessions(), logLimits = LOG_LIMITS } = this.#options;
    const pulse = new Pulse(clock);
    const told = new Recent<true>(REMEMBERED);
    return {
      ...this.#options,
      sessions,
      logLimits,
      pulse,
      runtimes: openRuntimes({ clock, pulse, dataDir, event: this.#event, ...runtimes }),
      podsDirectory: `${dataDir}/pods`,
      nodeName: this.nodeName,
      event: this.#event,
      isNews: (what) => {
        const isNews = !told.get(what);
        told.set(what, true);
        return isNews;
      },
      bind: (pod, signal) => this.#scheduler.bind(pod, signal),
      turn: () => this.#turns = this.#turns.then(() => setImmediate<void>()),
    };
  }
}

/** The reverse of a worker's key. */
function uidOf(key: ObjectKey): string {
  return key.slice(key.lastIndexOf("/") + 1);
}
