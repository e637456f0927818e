import { keyOf, type ObjectKey } from "../kube/object.ts";
import type { Pod } from "../kube/resource.ts";
import { Stage } from "../base/abort.ts";
import type { ReconcileResult } from "../runtime/controller.ts";
import { type EpochMs, parseTime } from "../base/epoch_ms.ts";
import type { RuntimeChoice } from "./runtimes.ts";
import { ContainerRun } from "./container_run.ts";
import { AWAY_MS, type RunningContainer } from "./runtime.ts";
import { ContainerStarter } from "./container_starter.ts";
import {
  type ContainerHistory,
  deadlineOf,
  decide,
  graceMs,
  type Plan,
  type Run,
  type Start,
  type Stop,
  type World,
} from "./decide.ts";
import { readFormerRuns } from "./files/former_runs.ts";
import { containersOf } from "./inputs/check.ts";
import type { PodContext } from "./context.ts";
import { finishDeletion } from "./node.ts";
import { PodDirectory } from "./files/pod_directory.ts";
import { reportCannotStart } from "./events.ts";
import { isTerminal, type PodProgress, stopOf } from "./pod_progress.ts";
import { allOf } from "./persist.ts";
import { podStatus } from "./status.ts";
import { PULSE_MS } from "./files/pulse.ts";
import { StatusWriter } from "./status_writer.ts";

/** The least grace of a Pod that vanished from the API. */
const LEAST_GRACE_MS = 1_000;

/** How long the files of a Pod that is gone stay: a follower of its log still reads the end. */
const KEEP_FILES_MS = 2 * PULSE_MS;

/** Runs one Pod: gathers the facts, calls {@linkcode decide}, carries the plan out and writes the status. */
export class PodWorker {
  /** The key by which a controller knows it. */
  readonly key: ObjectKey;
  readonly #context: PodContext;
  readonly #wake: () => void;
  readonly #directory: PodDirectory;
  readonly #status: StatusWriter;
  readonly #startTime: EpochMs;
  readonly #histories = new Map<string, ContainerHistory>();
  readonly #runs = new Map<string, ContainerRun>();
  readonly #over = Promise.withResolvers<void>();
  /** Resolves once nothing runs and nothing will. */
  readonly over = this.#over.promise;
  readonly #removed = Promise.withResolvers<void>();
  /** Resolves once the Pod is gone, its processes too, and its directory is removed. */
  readonly removed = this.#removed.promise;
  /** Aborted when the Pod is left to the next start of the program. */
  readonly #left = new AbortController();
  /** Aborted when nothing of the Pod is to be started any more. */
  readonly #noStarts = new Stage(this.#left.signal);
  /** Known once the Pod is read, like what starts its containers. */
  #choice!: RuntimeChoice;
  #starter!: ContainerStarter;
  #pod: Pod;
  #state: PodProgress = "unread";
  #stop: Stop | undefined;
  /** When the reading of former lives' files began, by the monotonic clock. */
  #unreadSince: number | undefined;
  /** When the files of a Pod go that the API has no more. */
  #removeAt: EpochMs | undefined;
  /** The number of containers that are being started. */
  #starting = 0;

  /** @param wake asks for a call of {@linkcode reconcile} with the worker's key */
  constructor(pod: Pod, context: PodContext, wake: (key: ObjectKey) => void) {
    const { client, clock, podsDirectory } = context;
    this.key = `${keyOf(pod)}/${pod.metadata.uid}`;
    this.#pod = pod;
    this.#context = context;
    this.#wake = () => wake(this.key);
    this.#directory = new PodDirectory(podsDirectory, pod.metadata.uid);
    this.#status = new StatusWriter(pod, { client, clock });
    this.#startTime = parseTime(pod.status?.startTime) ?? clock.now();
  }

  /** Begins, or takes note of how the Pod is now. */
  update(pod: Pod): void {
    this.#pod = pod;
    this.#stopAs(stopOf(pod, this.#stop, this.#context.clock.now()));
  }

  /** Called when the API has this Pod no more. */
  gone(): void {
    if (this.#isGone) return;
    this.#status.close();
    const killAt = this.#stop?.killAt ?? this.#context.clock.now() + Math.max(graceMs(this.#pod), LEAST_GRACE_MS);
    this.#stopAs({ cause: "gone", killAt });
  }

  /**
   * Ends the containers by `killAt` at the latest, and resolves once their end is written down. A Pod without a running process
   * is left to the next start.
   */
  async shutdown(killAt: EpochMs): Promise<void> {
    if (this.#runs.size === 0 && this.#starting === 0) return await this.leave();
    const cause = this.#isGone ? "gone" : "shutdown";
    this.#stopAs({ cause, killAt: Math.min(killAt, this.#stop?.killAt ?? Infinity) });
    await this.over;
    await this.#status.flush();
  }

  /** Starts nothing any more, and leaves running containers to the next start. Resolves once the status is written. */
  async leave(): Promise<void> {
    this.#left.abort();
    await this.#status.flush();
  }

  /** Leaves the Pod to the next start, whatever is under way. */
  abandon(): void {
    this.#left.abort();
    for (const run of this.#runs.values()) run[Symbol.dispose]();
    this.#status.close();
  }

  #stopAs(stop: Stop | undefined): void {
    this.#stop = stop;
    if (stop) this.#noStarts.abort();
    this.#wake();
  }

  /** Takes the next steps for the Pod. Returns when to call again, if nothing happens before. */
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
    if (this.#state === "unread") {
      await this.#read();
      this.#state = "untaken";
    }
    if (this.#state === "untaken" && !this.#stop) {
      const isOurs = this.#histories.size > 0 || await this.#context.take(this.#pod, this.#left.signal);
      if (!isOurs) return {};
      this.#state = "running";
    }
    if (this.#state === "untaken" || this.#state === "running") {
      const plan = await this.#run();
      if (!plan.over) return { requeueAt: plan.wakeAt };
      this.#choice.runtime.podIsOver?.(this.#pod);
      this.#end();
    }
    return await this.#letGo();
  }

  async #read(): Promise<void> {
    this.#choice = this.#context.runtimes.choose(this.#pod, this.#directory);
    this.#starter = new ContainerStarter(this.#pod, this.#directory, this.#choice.runtime, this.#context);
    const { clock } = this.#context;
    this.#unreadSince ??= clock.monotonic();
    const isAway = clock.monotonic() >= this.#unreadSince + AWAY_MS;
    const isOverdue = isAway && clock.now() >= (this.#stop?.killAt ?? Infinity);
    const unread = { pod: this.#pod, directory: this.#directory, histories: this.#histories, isOverdue };
    for await (const { container, history, running } of readFormerRuns(unread, this.#context)) {
      this.#histories.set(container.name, history);
      if (running && !this.#left.signal.aborted) this.#follow(container.name, running);
    }
  }

  async #run(): Promise<Plan> {
    let plan = decide(this.#world());
    if (plan.starts.length > 0) {
      this.#directory.create(this.#pod);
      const deadline = deadlineOf(this.#world()) ?? Infinity;
      using _deadline = this.#context.clock.schedule(deadline, () => this.#noStarts.abort());
      // If one fails, the others must not be started anew beside themselves.
      await allOf(plan.starts.map((start) => this.#start(start)));
      plan = decide(this.#world());
      // Other starts may have come due meanwhile.
      if (plan.starts.length > 0) this.#wake();
    }
    if (plan.stop) this.#stop = plan.stop;
    for (const { name, killAt } of plan.stops) {
      const isNew = this.#runs.get(name)?.end(killAt);
      if (isNew && !this.#isGone) this.#context.event(this.#pod, "Normal", "Killing", `Stopping container ${name}`);
    }
    this.#writeStatus(plan);
    return plan;
  }

  #world(): World {
    return {
      pod: this.#pod,
      histories: this.#histories,
      now: this.#context.clock.now(),
      startTime: this.#startTime,
      refusal: this.#choice.refusal,
      runtime: this.#choice.runtime.name,
      stop: this.#stop,
    };
  }

  async #start(start: Start): Promise<void> {
    const { container: { name }, restartCount } = start;
    const before = this.#histories.get(name);
    let isStarting = false;
    const { signal } = this.#noStarts;
    const mayStart = () => {
      isStarting = !signal.aborted;
      if (isStarting) this.#starting++;
      return isStarting;
    };
    const result = await this.#starter.start(this.#pod, start, before, { mayStart, signal })
      .finally(() => isStarting && this.#starting--);
    if (!result) return;
    this.#histories.set(name, result.history);
    if (!result.running) return;
    this.#follow(name, result.running);
    this.#directory.removeRunsBefore(name, restartCount - 1);
  }

  #follow(name: string, running: RunningContainer): void {
    const { container } = containersOf(this.#pod.spec!).find(({ container }) => container.name === name)!;
    const note = (news: Pick<Run, "health" | "outcome">) => {
      const { current, previous } = this.#histories.get(name)!;
      this.#histories.set(name, { current: { ...current!, ...news }, previous });
      this.#wake();
    };
    const files = this.#directory.run(name, this.#histories.get(name)!.current!.restartCount);
    const of = { pod: this.#pod, container, files };
    const run = new ContainerRun(of, running, this.#context, (health) => note({ health }));
    this.#runs.set(name, run);
    run.ended.then((outcome) => {
      this.#runs.delete(name);
      note({ outcome });
    });
  }

  #writeStatus(plan: Plan): void {
    // A last phase stays as it is, even if no file gives the reason for which a former life wrote it.
    if (this.#isGone || isTerminal(this.#pod)) return;
    const known = this.#status.last?.conditions ?? this.#pod.status?.conditions ?? [];
    this.#status.want(podStatus(this.#world(), plan, known), plan.over);
  }

  #end(): void {
    this.#state = "over";
    const { refusal } = this.#choice;
    if (refusal && !isTerminal(this.#pod)) {
      reportCannotStart(this.#context, this.#pod, refusal.reason, refusal.message);
    }
    this.#over.resolve();
  }

  /** Lets go of a Pod that is over: of its object once its last status is written, and then of its files. */
  async #letGo(): Promise<ReconcileResult> {
    const { clock } = this.#context;
    if (this.#state === "removed") return {};
    if (!this.#isGone) {
      if (this.#state === "over" && this.#pod.metadata.deletionTimestamp) await this.#delete();
      return {};
    }
    this.#removeAt ??= clock.now() + KEEP_FILES_MS;
    if (clock.now() < this.#removeAt) return { requeueAt: this.#removeAt };
    this.#context.keepLogs?.(this.#directory.logsOf(this.#pod));
    this.#directory.remove();
    this.#state = "removed";
    this.#removed.resolve();
    return {};
  }

  async #delete(): Promise<void> {
    await this.#status.flush();
    if (this.#isGone) return;
    await finishDeletion(this.#pod, this.#context.client, this.#left.signal);
    this.#state = "deleted";
  }

  get #isGone(): boolean {
    return this.#stop?.cause === "gone";
  }
}
