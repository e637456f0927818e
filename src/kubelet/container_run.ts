import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import type { Run } from "./decide.ts";
import { OutputTail } from "./output_tail.ts";
import type { PodContext } from "./pod_context.ts";
import type { RunningProcess } from "./process_runner.ts";
import type { Outcome, RunFiles } from "./run_files.ts";
import { RunLog } from "./run_log.ts";
import { terminationMessage } from "./termination_message.ts";

/** A TERM that reaches the shim before it has started the command is lost. One to a very young process is repeated. */
const YOUNG_MS = 500;

/** What a run is known by: its process and its files. */
export interface ProcessOfRun {
  readonly files: RunFiles;
  readonly process: RunningProcess;
  readonly backOffMs: number;
}

/** A container's process at work. Its output is followed until it ends. */
export class ContainerRun implements Disposable {
  /** Resolves with the run and its outcome. Never rejects. */
  readonly ended: Promise<Run>;
  readonly #clock: PodContext["clock"];
  readonly #process: RunningProcess;
  readonly #timers: Disposable[] = [];
  #killAt: EpochMs = Infinity;

  constructor(pod: Pod, container: Container, { files, process, backOffMs }: ProcessOfRun, context: PodContext) {
    this.#clock = context.clock;
    this.#process = process;
    const tail = openTail(pod, container, files, context);
    const looking = context.pulse.add(() => tail.look());
    this.ended = process.ended.then((outcome) => {
      looking[Symbol.dispose]();
      tail.close();
      this[Symbol.dispose]();
      const { restartCount } = files;
      const { startedAt } = process;
      return { restartCount, startedAt, backOffMs, outcome: withMessage(container, files, outcome) };
    });
  }

  /** Asks the process to end, and kills it at `killAt`. Returns whether it is asked for the first time. */
  end(killAt: EpochMs): boolean {
    if (killAt >= this.#killAt) return false;
    const isFirst = this.#killAt === Infinity;
    this.#killAt = killAt;
    this.#timers.push(this.#clock.schedule(killAt, () => this.#process.signal("SIGKILL")));
    if (!isFirst) return false;
    this.#process.signal("SIGTERM");
    const now = this.#clock.now();
    if (now - this.#process.startedAt < YOUNG_MS) {
      this.#timers.push(this.#clock.schedule(now + YOUNG_MS, () => this.#process.signal("SIGTERM")));
    }
    return true;
  }

  /** Forgets the signals still to be sent. */
  [Symbol.dispose](): void {
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
  const { clock, rotation, onOutput } = context;
  const { namespace, name, uid } = pod.metadata;
  const about = { pod: { namespace: namespace!, name, uid }, container: container.name };
  const onLine = onOutput && ((line: string) => onOutput({ ...about, line }));
  return new OutputTail(new RunLog(files), { clock, limits: rotation, onLine });
}
