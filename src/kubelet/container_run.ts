import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import { onAbort, Stage } from "../runtime/abort.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import type { RunningContainer, RunOfContainer } from "./runtime.ts";
import { graceMs, type Health, type Run } from "./decide.ts";
import { type Hook, isUsableHook, runHook } from "./hooks.ts";
import { execIn } from "./exec_command.ts";
import type { ProbeMeans } from "./probe_checks.ts";
import { hasUsableProbe, Probes } from "./probes.ts";
import { OutputTail } from "./files/output_tail.ts";
import type { PodContext } from "./context.ts";
import { reportHook, reportProbe } from "./events.ts";
import type { Outcome, RunFiles } from "./files/run_files.ts";
import { RunLog } from "./files/run_log.ts";
import { terminationMessage } from "./files/termination_message.ts";

/** What a container is left after its hook before the end, however long that took. */
const LEAST_GRACE_MS = 2_000;

/** A run that works: its container and its files. */
export interface RunAtWork {
  readonly files: RunFiles;
  readonly running: RunningContainer;
  readonly backOffMs: number;
}

type OnHealth = (health: Health) => void;

/** A container's process at work. Its output is followed until it ends. */
export class ContainerRun implements Disposable {
  /** Resolves with the run and its outcome, unless it is left before. Never rejects. */
  readonly ended: Promise<Run>;
  readonly #run: RunOfContainer;
  readonly #context: PodContext;
  readonly #clock: PodContext["clock"];
  readonly #running: RunningContainer;
  readonly #onHealth: OnHealth;
  /** By what it is looked at. */
  readonly #means: ProbeMeans;
  readonly #timers: Disposable[] = [];
  /** Aborted when it has ended, or is left. */
  readonly #over = new AbortController();
  #probes: Probes | undefined;
  #killAt: EpochMs = Infinity;
  /** Not to be killed earlier. */
  #spareUntil: EpochMs = -Infinity;
  /** Ends its hook before the end, while that is under way. */
  #preStop: Stage | undefined;

  /** @param onHealth called when its probes say something else of it than before */
  constructor(run: RunOfContainer, work: RunAtWork, context: PodContext, onHealth: OnHealth) {
    const { pod, container, files } = run;
    const { running, backOffMs } = work;
    this.#run = run;
    this.#context = context;
    this.#clock = context.clock;
    this.#running = running;
    this.#onHealth = onHealth;
    this.#means = {
      host: running.host,
      exec: (command, timeoutMs) =>
        execIn(running, command, { clock: context.clock, timeoutMs, over: this.#over.signal }),
    };
    const postStart = files.owesPostStart ? container.lifecycle?.postStart : undefined;
    if (isUsableHook(postStart)) this.#afterStart(postStart);
    else if (hasUsableProbe(container, this.#means)) this.#probe();
    const tail = openTail(pod, container, files, context);
    const offered = context.sessions.offer(pod.metadata.uid, container.name, running);
    const looking = context.pulse.add(() => tail.look());
    onAbort(this.#over.signal, () => looking[Symbol.dispose]());
    this.ended = running.ended.then((outcome) => {
      offered[Symbol.dispose]();
      tail.close();
      this[Symbol.dispose]();
      const { restartCount } = files;
      const { startedAt } = running;
      return { restartCount, startedAt, backOffMs, outcome: withMessage(container, files, outcome) };
    });
  }

  /** Asks the process to end, and kills it at `killAt`. Returns whether it is asked for the first time. */
  end(killAt: EpochMs): boolean {
    if (killAt >= this.#killAt) return false;
    const isFirst = this.#killAt === Infinity;
    this.#killAt = killAt;
    this.#probes?.[Symbol.dispose]();
    this.#timers.push(this.#clock.schedule(killAt, () => this.#timeIsUp()));
    if (!isFirst) return false;
    const preStop = this.#run.container.lifecycle?.preStop;
    if (killAt > this.#clock.now() && isUsableHook(preStop)) this.#beforeEnd(preStop);
    else this.#running.signal("SIGTERM");
    return true;
  }

  async #afterStart(hook: Hook): Promise<void> {
    const { pod, container, files } = this.#run;
    this.#onHealth({ started: false, ready: false, inPostStart: true });
    const { signal } = this.#over;
    const failure = await runHook(hook, { means: this.#means, clock: this.#clock, signal });
    if (signal.aborted) return;
    // One that failed ends the container, if need be in another life of the program.
    if (failure === undefined) files.postStartIsDone();
    if (this.#killAt !== Infinity) return;
    if (failure === undefined) {
      if (hasUsableProbe(container, this.#means)) this.#probe();
      else this.#onHealth({ started: true, ready: true });
      return;
    }
    reportHook(this.#context, pod, "PostStart", failure);
    this.#context.event(pod, "Normal", "Killing", "FailedPostStartHook");
    this.end(this.#clock.now() + graceMs(pod));
  }

  async #beforeEnd(hook: Hook): Promise<void> {
    const { pod } = this.#run;
    using stage = new Stage(this.#over.signal);
    this.#preStop = stage;
    const timeoutMs = this.#killAt - this.#clock.now();
    const options = { means: this.#means, clock: this.#clock, timeoutMs, signal: stage.signal };
    const failure = await runHook(hook, options);
    this.#preStop = undefined;
    if (this.#over.signal.aborted) return;
    if (failure !== undefined) reportHook(this.#context, pod, "PreStop", failure);
    this.#running.signal("SIGTERM");
    this.#spareUntil = this.#clock.now() + LEAST_GRACE_MS;
    this.#timers.push(
      this.#clock.schedule(this.#spareUntil, () => this.#clock.now() < this.#killAt || this.#timeIsUp()),
    );
  }

  #timeIsUp(): void {
    if (this.#preStop) this.#preStop.abort();
    else if (this.#clock.now() >= this.#spareUntil) this.#running.signal("SIGKILL");
  }

  #probe(): void {
    const { pod, container, files } = this.#run;
    const context = this.#context;
    const { clock, event } = context;
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
    const known = [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container.name);
    this.#probes = new Probes(container, {
      clock,
      means: this.#means,
      wasStarted: known?.started === true && known.restartCount === files.restartCount,
      onHealth: this.#onHealth,
      onTrouble: (probe, result) => reportProbe(context, pod, probe, result),
      onDead: (probe, graceSeconds) => {
        const why = `failed ${probe.toLowerCase()} probe, will be restarted`;
        event(pod, "Normal", "Killing", `Container ${container.name} ${why}`);
        this.end(clock.now() + (graceSeconds === undefined ? graceMs(pod) : graceSeconds * 1000));
      },
    });
  }

  /** Leaves it: forgets the signals still to be sent, and looks at its output no more. */
  [Symbol.dispose](): void {
    this.#over.abort();
    this.#probes?.[Symbol.dispose]();
    for (const timer of this.#timers.splice(0)) timer[Symbol.dispose]();
  }
}

/** Notes the output that a run of a former life left behind. */
export function noteOutput(pod: Pod, container: Container, files: RunFiles, context: PodContext): void {
  openTail(pod, container, files, { ...context, onOutput: undefined }).close();
}

/** Adds the message that the container left when it ended. */
export function withMessage(container: Container, run: RunFiles, outcome: Outcome): Outcome {
  const message = outcome.message ?? terminationMessage(container, run, outcome.exitCode);
  return message ? { ...outcome, message } : outcome;
}

function openTail(pod: Pod, container: Container, files: RunFiles, context: PodContext): OutputTail {
  const { clock, logLimits, onOutput } = context;
  const { namespace, name, uid } = pod.metadata;
  const about = { pod: { namespace: namespace!, name, uid }, container: container.name };
  const onLine = onOutput && ((line: string) => onOutput({ ...about, line }));
  return new OutputTail(new RunLog(files), { clock, format: files.logFormat, limits: logLimits, onLine });
}
