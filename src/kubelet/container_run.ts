import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { RunningContainer, RunOfContainer } from "./runtime.ts";
import { graceMs, type Health } from "./decide.ts";
import { execIn } from "./exec_command.ts";
import { hasUsableProbe, Probes } from "./probes.ts";
import { OutputTail } from "./files/output_tail.ts";
import type { PodContext } from "./context.ts";
import type { Outcome, RunFiles } from "./files/run_files.ts";
import { RunLog } from "./files/run_log.ts";
import { lookOften } from "./files/pulse.ts";
import { terminationMessage } from "./files/termination_message.ts";

/** A container's process at work. Its output is followed until it ends. */
export class ContainerRun implements Disposable {
  /** Resolves with its outcome, unless it is left before. Never rejects. */
  readonly ended: Promise<Outcome>;
  readonly #run: RunOfContainer;
  readonly #context: PodContext;
  readonly #running: RunningContainer;
  readonly #onHealth: (health: Health) => void;
  /** The parts that end when it is over, or left. */
  readonly #parts = new DisposableStack();
  /** Aborted when it has ended, or is left. */
  readonly #over = new AbortController();
  #probes: Probes | undefined;
  #killAt: EpochMs = Infinity;

  /** @param onHealth called when its probes say something else of it than before */
  constructor(
    run: RunOfContainer,
    running: RunningContainer,
    context: PodContext,
    onHealth: (health: Health) => void,
  ) {
    const { pod, container, files } = run;
    this.#run = run;
    this.#context = context;
    this.#running = running;
    this.#onHealth = onHealth;
    if (hasUsableProbe(container)) this.#probe();
    const tail = openTail(pod, container, files, context);
    const offered = context.sessions.offer(pod.metadata.uid, container.name, running);
    this.#parts.use(lookOften(context.clock, () => tail.look()));
    this.ended = running.ended.then((outcome) => {
      offered[Symbol.dispose]();
      tail.close();
      this[Symbol.dispose]();
      return withMessage(container, files, outcome);
    });
  }

  /** Asks the process to end, and kills it at `killAt`. Returns whether it is asked for the first time. */
  end(killAt: EpochMs): boolean {
    if (killAt >= this.#killAt || this.#parts.disposed) return false;
    const isFirst = this.#killAt === Infinity;
    this.#killAt = killAt;
    this.#probes?.[Symbol.dispose]();
    this.#parts.use(this.#context.clock.schedule(killAt, () => this.#running.signal("SIGKILL")));
    if (isFirst) this.#running.signal("SIGTERM");
    return isFirst;
  }

  #probe(): void {
    const { pod, container, files } = this.#run;
    const context = this.#context;
    const { clock, event } = context;
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
    const known = [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container.name);
    this.#probes = new Probes(container, {
      clock,
      exec: (command, timeoutMs) => execIn(this.#running, command, { clock, timeoutMs, over: this.#over.signal }),
      wasStarted: known?.started === true && known.restartCount === files.restartCount,
      onHealth: this.#onHealth,
      onTrouble: (probe, { kind, said }) =>
        event(pod, "Warning", "Unhealthy", `${probe} probe ${kind === "error" ? "errored" : "failed"}: ${said}`),
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
    this.#parts.dispose();
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
  const { clock, onOutput } = context;
  const { namespace, name, uid } = pod.metadata;
  const about = { pod: { namespace: namespace!, name, uid }, container: container.name };
  const onLine = onOutput && ((line: string) => onOutput({ ...about, line }));
  return new OutputTail(new RunLog(files), { clock, format: files.logFormat, onLine });
}
