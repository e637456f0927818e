import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import type { RunningContainer, RunOfContainer } from "./container_runtime.ts";
import { graceMs, type Health, type Run } from "./decide.ts";
import { hasUsableProbe, Probes } from "./probes.ts";
import { OutputTail } from "./output_tail.ts";
import type { PodContext } from "./pod_context.ts";
import { reportProbe } from "./pod_events.ts";
import type { ProbeMeans } from "./probe_checks.ts";
import type { Outcome, RunFiles } from "./run_files.ts";
import { RunLog } from "./run_log.ts";
import { terminationMessage } from "./termination_message.ts";

/** A TERM that reaches the shim before it has started the command is lost. One to a very young process is repeated. */
const YOUNG_MS = 500;

/** A run that works: its container and its files. */
export interface RunAtWork {
  readonly files: RunFiles;
  readonly running: RunningContainer;
  readonly backOffMs: number;
}

type OnHealth = (health: Health) => void;

/** A container's process at work. Its output is followed until it ends. */
export class ContainerRun implements Disposable {
  /** Resolves with the run and its outcome. Never rejects. */
  readonly ended: Promise<Run>;
  readonly #clock: PodContext["clock"];
  readonly #running: RunningContainer;
  readonly #probes: Probes | undefined;
  readonly #timers: Disposable[] = [];
  #killAt: EpochMs = Infinity;

  /** @param onHealth called when its probes say something else of it than before */
  constructor(run: RunOfContainer, { running, backOffMs }: RunAtWork, context: PodContext, onHealth: OnHealth) {
    const { pod, container, files } = run;
    this.#clock = context.clock;
    this.#running = running;
    this.#probes = hasUsableProbe(container, running) ? this.#probe(run, running, context, onHealth) : undefined;
    const tail = openTail(pod, container, files, context);
    const offered = context.sessions.offer(pod.metadata.uid, container.name, running);
    const looking = context.pulse.add(() => tail.look());
    this.ended = running.ended.then((outcome) => {
      offered[Symbol.dispose]();
      looking[Symbol.dispose]();
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
    this.#timers.push(this.#clock.schedule(killAt, () => this.#running.signal("SIGKILL")));
    if (!isFirst) return false;
    this.#running.signal("SIGTERM");
    const now = this.#clock.now();
    if (this.#running.losesEarlySignals && now - this.#running.startedAt < YOUNG_MS) {
      this.#timers.push(this.#clock.schedule(now + YOUNG_MS, () => this.#running.signal("SIGTERM")));
    }
    return true;
  }

  #probe(
    { pod, container, files }: RunOfContainer,
    means: ProbeMeans,
    context: PodContext,
    onHealth: OnHealth,
  ): Probes {
    const { clock, event } = context;
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
    const known = [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container.name);
    return new Probes(container, {
      clock,
      means,
      wasStarted: known?.started === true && known.restartCount === files.restartCount,
      onHealth,
      onTrouble: (probe, result) => reportProbe(context, pod, probe, result),
      onDead: (probe, graceSeconds) => {
        const why = `failed ${probe.toLowerCase()} probe, will be restarted`;
        event(pod, "Normal", "Killing", `Container ${container.name} ${why}`);
        this.end(clock.now() + (graceSeconds === undefined ? graceMs(pod) : graceSeconds * 1000));
      },
    });
  }

  /** Forgets the signals still to be sent, and looks no more. */
  [Symbol.dispose](): void {
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
