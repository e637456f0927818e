import { setImmediate } from "node:timers/promises";
import { keyOf } from "../kube/object.ts";
import { type Pod, PODS } from "../kube/resource.ts";
import { aborted, readyOrAborted } from "../base/abort.ts";
import { endsWithin } from "../base/clock.ts";
import { Controller } from "../runtime/controller.ts";
import type { EventSink } from "../runtime/event_recorder.ts";
import { Informer } from "../runtime/informer.ts";
import { Recent } from "../runtime/recent.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Change } from "../runtime/store.ts";
import { loggerFor } from "../telemetry/logging.ts";
import type { PodContext, SharedOptions } from "./context.ts";
import { defaultNodeName, isGated, misplacementOf, type NodeOptions, registerNode, writePlacement } from "./node.ts";
import { openRuntimes, type RuntimeOptions } from "./open_runtimes.ts";
import { ifPossible } from "./files/disk.ts";
import { PodDirectory } from "./files/pod_directory.ts";
import { PodWorker } from "./pod_worker.ts";
import { PodSessions } from "./pod_sessions.ts";

const logger = loggerFor("kubelet");

/** As many as Kubernetes' kubelet takes. */
const MAX_PODS = 110;

/** After the last SIGKILL of a clean stop, for processes to be gone and statuses to be written. */
const STOP_MARGIN_MS = 3_000;

/** After a failure to run a Pod: a full disk, an API server that is away. */
const RETRY = { initialMs: 2_000, maxMs: 60_000 };

/** The number of Jobs whose Pods' Events are remembered. */
const REMEMBERED = 1_000;

export interface KubeletOptions extends Partial<Pick<PodContext, "sessions">>, SharedOptions {
  /** An absolute path: containers run elsewhere. Pods live in `<dataDir>/pods`. */
  dataDir: string;
  /** @default the host name in lower case */
  nodeName?: string;
  /** Where Events about Pods go. @default nowhere */
  recorder?: EventSink;
  /** Pods at work at a time; more wait for their turn. @default {110} */
  maxPods?: number;
  /** The runtimes of containers. @default plain processes */
  runtimes?: RuntimeOptions;
  /** The effect of a clean stop on containers at work. @default {"end"} */
  onStop?: OnStop;
  /** How long a clean stop lets containers end by themselves. @default {5_000} */
  stopGraceMs?: number;
}

/** `leave`: to the next start of the program, which takes them up as it does after a crash. */
export type OnStop = "end" | "leave";

/**
 * Runs the Pods of an API server on this machine: every Pod that names this node, or no node and no scheduler of its own,
 * once its gates are open.
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
  readonly #node: NodeOptions;
  readonly #controller: Controller;
  /** By the Pods' uids. */
  readonly #workers = new Map<string, PodWorker>();
  /** Workers whose Pods are not over. */
  readonly #atWork = new Set<PodWorker>();
  /** Pods that wait until fewer are at work, in order of arrival. */
  readonly #waiting = new Map<string, Pod>();
  /** The uids of waiting Pods whose status says why they wait. */
  readonly #told = new Set<string>();
  readonly #event: PodContext["event"] = (pod, type, reason, message) =>
    this.#options.recorder?.record({ regarding: pod, type, reason, message });
  #turns: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: KubeletOptions) {
    const { client, clock, maxPods = MAX_PODS } = options;
    this.#options = options;
    this.nodeName = options.nodeName ?? defaultNodeName();
    this.#node = { client, clock, name: this.nodeName };
    this.#informer = new Informer({ client, clock, resource: PODS });
    this.#context = this.#makeContext();
    this.#controller = new Controller({
      name: this.name,
      clock,
      concurrency: maxPods,
      waitFor: [this.#informer],
      backoff: RETRY,
      // The kubelet's own stop has waited before.
      drainMs: 0,
      reconcile: async (key) => await this.#workers.get(key.slice(key.lastIndexOf("/") + 1))?.reconcile(),
    });
  }

  /** Resolves once it knows the Pods that are there. */
  ready(): Promise<void> {
    return this.#informer.ready();
  }

  async run(signal: AbortSignal): Promise<void> {
    Deno.mkdirSync(this.#context.podsDirectory, { recursive: true, mode: 0o700 });
    using _changes = this.#informer.onChange((change) => this.#changed(change));
    // The watch goes on during the stop: a Pod that is deleted meanwhile is still let go of.
    const watching = new AbortController();
    const watch = this.#informer.run(watching.signal);
    const orphans = readyOrAborted([this.#informer], watching.signal).then((ready) => {
      if (ready) this.#adoptOrphans();
    });
    const node = registerNode(this.#node, signal).then(() => aborted(signal));
    const work = this.#controller.run(watching.signal);
    try {
      await Promise.race([aborted(signal), watch, orphans.then(() => aborted(signal)), node, work]);
      await this.#shutdown();
    } finally {
      watching.abort();
    }
    await Promise.all([watch, orphans, node, work, this.#context.runtimes.close()]);
  }

  #changed(change: Change<Pod>): void {
    if (change.type === "deleted") return this.#forget(change.object.metadata.uid);
    if (change.previous && change.previous.metadata.uid !== change.object.metadata.uid) {
      this.#forget(change.previous.metadata.uid);
    }
    const pod = change.object as Pod;
    const { uid } = pod.metadata;
    const worker = this.#workers.get(uid);
    if (worker) return worker.update(pod);
    if (this.#stopping || isGated(pod)) return;
    const misplacement = misplacementOf(pod, this.nodeName);
    if (misplacement) return this.#tellToWait(pod, misplacement);
    this.#waiting.set(uid, pod);
    this.#admit();
  }

  #forget(uid: string): void {
    this.#waiting.delete(uid);
    this.#told.delete(uid);
    this.#workers.get(uid)?.gone();
  }

  /** Begins with the waiting Pods as far as there is room. What has begun in an earlier life has its place. */
  #admit(): void {
    const { maxPods = MAX_PODS } = this.#options;
    for (const [uid, pod] of this.#waiting) {
      const isFull = this.#atWork.size >= maxPods;
      if (isFull && pod.status?.startTime === undefined && pod.metadata.deletionTimestamp === undefined) {
        this.#tellToWait(pod, `Too many pods: ${maxPods} at a time, this one waits for its turn`);
        continue;
      }
      this.#waiting.delete(uid);
      this.#told.delete(uid);
      this.#begin(pod);
    }
  }

  /** Says it once: a Pod waits for one thing alone. */
  #tellToWait(pod: Pod, message: string): void {
    if (this.#told.has(pod.metadata.uid)) return;
    this.#told.add(pod.metadata.uid);
    const { client, clock } = this.#node;
    this.#event(pod, "Warning", "FailedScheduling", message);
    if (pod.spec?.nodeName) return;
    writePlacement(client, pod, { message, now: clock.now() })
      .catch((error) => logger.warn("Cannot say why pod {key} waits: {error}", { key: keyOf(pod), error }));
  }

  async #take(pod: Pod, signal: AbortSignal): Promise<boolean> {
    const { nodeName } = this;
    if (pod.spec?.nodeName) return pod.spec.nodeName === nodeName;
    const { client, clock } = this.#node;
    return await writePlacement(client, pod, { nodeName, now: clock.now(), signal });
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

  /** Ends the processes and removes the files of Pods that the API no longer has. */
  #adoptOrphans(): void {
    for (const { name: uid } of Deno.readDirSync(this.#context.podsDirectory)) {
      if (this.#workers.has(uid) || this.#waiting.has(uid)) continue;
      const directory = new PodDirectory(this.#context.podsDirectory, uid);
      const pod = directory.readPod();
      if (!pod) {
        // Files that another user's container has made stay: they must not keep all others from running.
        ifPossible(() => directory.remove());
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
    const ends = Promise.all(workers.map((each) => onStop === "leave" ? each.leave() : each.shutdown(killAt)));
    if (!await endsWithin(clock, stopGraceMs + STOP_MARGIN_MS, ends)) logger.warn("Some pods did not end in time");
    for (const worker of this.#workers.values()) worker.abandon();
  }

  #makeContext(): PodContext {
    const { clock, dataDir, runtimes, sessions = new PodSessions() } = this.#options;
    const told = new Recent<true>(REMEMBERED);
    return {
      ...this.#options,
      sessions,
      runtimes: openRuntimes({ clock, dataDir, event: this.#event, ...runtimes }),
      podsDirectory: `${dataDir}/pods`,
      nodeName: this.nodeName,
      event: this.#event,
      isNews: (what) => {
        const isNews = !told.get(what);
        told.set(what, true);
        return isNews;
      },
      take: (pod, signal) => this.#take(pod, signal),
      turn: () => this.#turns = this.#turns.then(() => setImmediate<void>()),
    };
  }
}
