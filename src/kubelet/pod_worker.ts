import { ApiError } from "../kube/api_error.ts";
import { keyOf, type ObjectKey } from "../kube/object.ts";
import { type Pod, PODS } from "../kube/resource.ts";
import type { ReconcileResult } from "../runtime/controller.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";
import { ContainerRun, type ProcessOfRun } from "./container_run.ts";
import { ContainerStarter } from "./container_starter.ts";
import { type ContainerHistory, decide, graceMs, type Plan, type Start, type Stop, type World } from "./decide.ts";
import { readFormerRuns } from "./former_runs.ts";
import { type Refusal, refusalOf } from "./pod_check.ts";
import type { PodContext } from "./pod_context.ts";
import { PodDirectory } from "./pod_directory.ts";
import { reportBackOff, reportCannotStart } from "./pod_events.ts";
import { podStatus } from "./pod_status.ts";
import { isTerminal, stopOf } from "./pod_stop.ts";
import { PULSE_MS } from "./pulse.ts";
import { StatusWriter } from "./status_writer.ts";

/** For a Pod that vanished from the API without a grace period of its own. */
const LEAST_GRACE_MS = 1_000;

/** How long the files of a Pod that is gone stay: whoever follows its log still reads the end. */
const KEEP_FILES_MS = 2 * PULSE_MS;

/**
 * How far this node has come with a Pod.
 *
 * ```
 * unread -> unbound -> running -> over -> deleted -> removing -> removed
 * ```
 */
type State =
  /** What former lives of the program left of it is still to be read. */
  | { readonly kind: "unread" }
  | { readonly kind: "unbound" }
  /** Its containers run as {@linkcode decide} says, until they are over. */
  | { readonly kind: "running" }
  /** Nothing runs and nothing will. */
  | { readonly kind: "over" }
  /** The API server has been asked to let go of it. */
  | { readonly kind: "deleted" }
  /** The API server has it no more. */
  | { readonly kind: "removing"; readonly at: EpochMs }
  | { readonly kind: "removed" };

/** Runs one Pod: gathers what is so, calls {@linkcode decide}, carries the plan out and writes it into the status. */
export class PodWorker {
  /** What a controller knows it by. */
  readonly key: ObjectKey;
  readonly #context: PodContext;
  readonly #wake: () => void;
  readonly #directory: PodDirectory;
  readonly #starter: ContainerStarter;
  readonly #refusal: Refusal | undefined;
  readonly #status: StatusWriter;
  readonly #startTime: EpochMs;
  readonly #histories = new Map<string, ContainerHistory>();
  readonly #runs = new Map<string, ContainerRun>();
  readonly #over = Promise.withResolvers<void>();
  readonly #removed = Promise.withResolvers<void>();
  /** Aborted when the Pod is left to the next start of the program. */
  readonly #left = new AbortController();
  #pod: Pod;
  #state: State = { kind: "unread" };
  #stop: Stop | undefined;

  /** @param wake asks for a call of {@linkcode reconcile} with the worker's key */
  constructor(pod: Pod, context: PodContext, wake: (key: ObjectKey) => void) {
    const { client, clock, logger, podsDirectory, self } = context;
    this.key = `${keyOf(pod)}/${pod.metadata.uid}`;
    this.#pod = pod;
    this.#context = context;
    this.#wake = () => wake(this.key);
    this.#directory = new PodDirectory(podsDirectory, pod.metadata.uid);
    this.#starter = new ContainerStarter(pod, this.#directory, context);
    this.#refusal = refusalOf(pod, self);
    this.#status = new StatusWriter(pod, { client, clock, logger });
    this.#startTime = parseTime(pod.status?.startTime) ?? clock.now();
  }

  /** Resolves once the Pod is gone, its processes too, and its directory is removed. */
  get removed(): Promise<void> {
    return this.#removed.promise;
  }

  /** Resolves once nothing runs and nothing will. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Begins, or takes note of how the Pod is now. */
  update(pod: Pod): void {
    this.#pod = pod;
    this.#stop = stopOf(pod, this.#stop, this.#context.clock.now());
    this.#wake();
  }

  /** Called when the API has this Pod no more. */
  gone(): void {
    if (this.#isGone) return;
    this.#status.close();
    const killAt = this.#stop?.killAt ?? this.#context.clock.now() + Math.max(graceMs(this.#pod), LEAST_GRACE_MS);
    this.#stop = { cause: "gone", killAt };
    this.#wake();
  }

  /**
   * Ends what runs, by `killAt` at the latest, and resolves once that is done and written down. A Pod without a running
   * process is left to the next start.
   */
  async shutdown(killAt: EpochMs): Promise<void> {
    if (this.#runs.size === 0) this.#left.abort();
    else {
      const cause = this.#isGone ? "gone" : "shutdown";
      this.#stop = { cause, killAt: Math.min(killAt, this.#stop?.killAt ?? Infinity) };
      this.#wake();
      await this.over;
    }
    await this.#status.flush();
  }

  /** Leaves the Pod to the next start, whatever is under way. */
  abandon(): void {
    this.#left.abort();
    for (const run of this.#runs.values()) run[Symbol.dispose]();
    this.#status.close();
  }

  /** Does what is to be done now. Returns when to come back, whatever happens. */
  async reconcile(): Promise<ReconcileResult> {
    const { signal } = this.#left;
    try {
      return signal.aborted ? {} : await this.#reconcile();
    } catch (error) {
      if (signal.aborted) return {};
      throw error;
    }
  }

  async #reconcile(): Promise<ReconcileResult> {
    if (this.#state.kind === "unread") {
      await this.#read();
      this.#state = { kind: "unbound" };
    }
    if (this.#state.kind === "unbound" && !this.#stop) {
      const isOurs = this.#histories.size > 0 || await this.#context.bind(this.#pod, this.#left.signal);
      if (!isOurs) return {};
      this.#state = { kind: "running" };
    }
    if (this.#state.kind === "unbound" || this.#state.kind === "running") {
      const plan = await this.#run();
      if (!plan.over) return { requeueAt: plan.wakeAt };
      this.#end();
    }
    return await this.#letGo();
  }

  async #read(): Promise<void> {
    for (const { container, history, running } of await readFormerRuns(this.#pod, this.#directory, this.#context)) {
      this.#histories.set(container.name, history);
      if (running && !this.#left.signal.aborted) this.#follow(container.name, running);
    }
  }

  async #run(): Promise<Plan> {
    let plan = decide(this.#world());
    if (plan.starts.length > 0) {
      this.#directory.create(this.#pod);
      await Promise.all(plan.starts.map((start) => this.#start(start)));
      plan = decide(this.#world());
      // Something may have come due while others were starting.
      if (plan.starts.length > 0) this.#wake();
    }
    if (plan.stop) this.#stop = plan.stop;
    for (const { name, killAt } of plan.stops) {
      const isNew = this.#runs.get(name)?.end(killAt);
      if (isNew && !this.#isGone) this.#context.event(this.#pod, "Normal", "Killing", `Stopping container ${name}`);
    }
    for (const name of plan.backingOff.keys()) this.#announceBackOff(name);
    this.#writeStatus(plan);
    return plan;
  }

  #world(): World {
    return {
      pod: this.#pod,
      histories: this.#histories,
      now: this.#context.clock.now(),
      startTime: this.#startTime,
      refusal: this.#refusal,
      stop: this.#stop,
    };
  }

  async #start(start: Start): Promise<void> {
    const { container: { name }, restartCount, backOffMs } = start;
    const before = this.#histories.get(name);
    const mayStart = () => !this.#stop && !this.#left.signal.aborted;
    const result = await this.#starter.start(this.#pod, start, before, mayStart);
    const previous = before?.current;
    switch (result.kind) {
      case "withheld":
        return;
      case "problem":
        this.#histories.set(name, { ...before, problem: result.problem });
        return;
      case "refused": {
        const { outcome } = result;
        const current = { restartCount, startedAt: outcome.finishedAt, backOffMs, outcome };
        this.#histories.set(name, { current, previous });
        this.#wake();
        return;
      }
      case "started": {
        const { startedAt } = result.run.process;
        this.#histories.set(name, { current: { restartCount, startedAt, backOffMs }, previous });
        this.#follow(name, result.run);
        this.#directory.removeRunsBefore(name, restartCount - 1);
      }
    }
  }

  #follow(name: string, process: ProcessOfRun): void {
    const { initContainers = [], containers } = this.#pod.spec!;
    const container = [...initContainers, ...containers].find((each) => each.name === name)!;
    const run = new ContainerRun(this.#pod, container, process, this.#context);
    this.#runs.set(name, run);
    run.ended.then((current) => {
      this.#runs.delete(name);
      this.#histories.set(name, { current, previous: this.#histories.get(name)?.previous });
      this.#wake();
    });
  }

  /** Reports each wait once. */
  #announceBackOff(name: string): void {
    const history = this.#histories.get(name)!;
    if (history.announced) return;
    this.#histories.set(name, { ...history, announced: true });
    reportBackOff(this.#context, this.#pod, name);
  }

  #writeStatus(plan: Plan): void {
    // A last phase stays as it is, even if no file gives the reason for which a former life wrote it.
    if (this.#isGone || isTerminal(this.#pod)) return;
    const known = this.#status.last?.conditions ?? this.#pod.status?.conditions ?? [];
    this.#status.want(podStatus(this.#world(), plan, known), plan.over);
  }

  #end(): void {
    this.#state = { kind: "over" };
    if (this.#refusal && !isTerminal(this.#pod)) {
      reportCannotStart(this.#context, this.#pod, { ...this.#refusal, isNews: true });
    }
    this.#over.resolve();
  }

  /** Lets go of a Pod that is over: of its object once its last status is written, and then of its files. */
  async #letGo(): Promise<ReconcileResult> {
    const { clock } = this.#context;
    if (this.#state.kind === "removed") return {};
    if (!this.#isGone) {
      if (this.#state.kind === "over" && this.#pod.metadata.deletionTimestamp) await this.#delete();
      return {};
    }
    if (this.#state.kind !== "removing") this.#state = { kind: "removing", at: clock.now() + KEEP_FILES_MS };
    if (clock.now() < this.#state.at) return { requeueAt: this.#state.at };
    this.#directory.remove();
    this.#state = { kind: "removed" };
    this.#removed.resolve();
    return {};
  }

  async #delete(): Promise<void> {
    await this.#status.flush();
    if (this.#isGone) return;
    const { name, namespace, uid } = this.#pod.metadata;
    const { signal } = this.#left;
    const options = { gracePeriodSeconds: 0, preconditions: { uid }, lane: "status", signal } as const;
    try {
      await this.#context.client.delete(PODS, { name, namespace }, options);
    } catch (error) {
      if (!(error instanceof ApiError && (error.isNotFound || error.isConflict))) throw error;
    }
    this.#state = { kind: "deleted" };
  }

  get #isGone(): boolean {
    return this.#stop?.cause === "gone";
  }
}
