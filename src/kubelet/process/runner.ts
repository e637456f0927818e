import { spawn } from "node:child_process";
import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Command } from "./container_command.ts";
import { bootId, isAlive, lookForEnd, type ProcessIdentity, signalGroup } from "./identity.ts";
import type { RunningContainer } from "../runtime.ts";
import { keepOutcome, type Outcome, type RunFiles, UNKNOWN_STATUS } from "../files/run_files.ts";
import { exitCodeOf } from "./session_process.ts";
import { shimCommand } from "./shim.ts";

/** A container at work that no client can be connected to by itself. */
export type RunningProcess = Omit<RunningContainer, "open">;

/** A process that a former life of the program has started, with its shim's identity. */
export type FoundProcess = RunningProcess & { readonly identity: ProcessIdentity };

type Signal = Parameters<RunningContainer["signal"]>[0];

/** How a run ended, where its shim has not written that down. */
type Ending = Omit<Outcome, "startedAt" | "finishedAt">;

/** A TERM that reaches the shim before it has started the command is lost: to a very young process it is sent twice. */
const YOUNG_MS = 500;

/** How often a claim without a readable identity is looked at again before it counts as one that started nothing. */
const CLAIM_LOOKS = 10;

/** Starts containers' processes, and resumes those of former lives, as `runtime.ts` promises it. */
export class ProcessRunner {
  readonly #clock: Clock;
  readonly #bootId = bootId();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param backOffMs how long the next run waits after this one; only written down */
  start(run: RunFiles, command: Command, backOffMs: number): RunningProcess {
    const attempt = crypto.randomUUID().slice(0, 8);
    const startedAt = this.#clock.now();
    run.writeIntent({ attempt, bootId: this.#bootId, backOffMs, startedAt });
    const files = { claim: run.claim(attempt), log: run.log, exit: run.exit };
    const { program, args } = shimCommand(files, command.argv);
    const child = spawn(program, args, {
      detached: true,
      stdio: "ignore",
      cwd: command.workingDirectory,
      env: command.env,
    });
    const gone = new Promise<Ending>((resolve) => {
      const fail = (message: string) => resolve({ exitCode: 128, reason: "StartError", message });
      child.once("error", ({ message }) => fail(message));
      child.once("exit", (code, signal) => {
        if (signal) resolve({ exitCode: exitCodeOf(code, signal), reason: "Error" });
        else fail(`Cannot start ${command.argv[0]}: the shell that starts it ended with exit code ${code}`);
      });
    });
    return this.#atWork(run, startedAt, gone, (signal) => child.pid !== undefined && signalGroup(child.pid, signal));
  }

  async resume(run: RunFiles): Promise<FoundProcess | Outcome | undefined> {
    for (let look = 0;; look++) {
      const state = run.read();
      switch (state?.kind) {
        case undefined:
        case "void":
          return undefined;
        case "ended":
          return state.outcome;
        case "intended":
          if (run.giveUp(run.readIntent()!.attempt)) return undefined;
          continue;
        case "claimed":
          if (look >= CLAIM_LOOKS) return this.#lost(run);
          await this.#clock.sleep(50);
          continue;
        case "started":
          if (run.readIntent()!.bootId !== this.#bootId || !isAlive(state.identity)) {
            // It may have written its exit status and ended between our two looks.
            return outcomeOf(run) ?? this.#lost(run, state.startedAt);
          }
          return this.#adopt(run, state.identity, state.startedAt);
      }
    }
  }

  #adopt(run: RunFiles, identity: ProcessIdentity, startedAt: EpochMs): FoundProcess {
    const { promise: gone, resolve } = Promise.withResolvers<Ending>();
    const looking = lookForEnd(this.#clock, identity, () => {
      looking[Symbol.dispose]();
      resolve(UNKNOWN_STATUS);
    });
    const signal = (name: Signal) => isAlive(identity) && signalGroup(identity.pid, name);
    return { identity, ...this.#atWork(run, startedAt, gone, signal) };
  }

  /** @param gone resolves once the shim has ended: a child's by its exit, another life's at the next beat */
  #atWork(
    run: RunFiles,
    startedAt: EpochMs,
    gone: Promise<Ending>,
    signal: (name: Signal) => void,
  ): RunningProcess {
    let isOver = false;
    let again: Disposable | undefined;
    const ended = gone.then((unwritten) => {
      isOver = true;
      again?.[Symbol.dispose]();
      const finishedAt = this.#clock.now();
      const written = outcomeOf(run);
      return written ? { ...written, finishedAt } : keepOutcome(run, { ...unwritten, startedAt, finishedAt });
    });
    const send = (name: Signal) => {
      if (isOver) return;
      signal(name);
      const now = this.#clock.now();
      if (name === "SIGTERM" && now - startedAt < YOUNG_MS) {
        again = this.#clock.schedule(now + YOUNG_MS, () => send(name));
      }
    };
    return { startedAt, ended, signal: send };
  }

  #lost(run: RunFiles, startedAt?: EpochMs): Outcome {
    return keepOutcome(run, { ...UNKNOWN_STATUS, startedAt, finishedAt: this.#clock.now() });
  }
}

function outcomeOf(run: RunFiles): Outcome | undefined {
  const state = run.read();
  return state?.kind === "ended" ? state.outcome : undefined;
}
