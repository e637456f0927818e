import { PROGRAM } from "../../support/program.ts";
import { runToEnd } from "../../support/run_to_end.ts";
import { pause } from "./api.ts";

export interface ControllerOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where what it writes is kept. */
  readonly folder: string;
  /** Whether it may end by itself: who loses the Lease does. */
  readonly mayEnd: boolean;
}

export interface Crash {
  readonly at: number;
  readonly message: string;
}

/** Between the end of a process and the start of the next, which a Deployment makes longer. */
const RESTART_MS = 500;
/** What no controller may write, whatever it meets. */
const UNCAUGHT = /.*(?:Uncaught|TypeError|RangeError|ReferenceError|AssertionError|panicked).*/;

/** A controller as a process, which is started again whenever it has ended. */
export class ControllerUnderFault implements AsyncDisposable {
  readonly crashes: Crash[] = [];
  readonly #options: ControllerOptions;
  #process: Deno.ChildProcess;
  #hasEnded = false;
  #log = "";
  #isKilled = false;
  #isAskedToEnd = false;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#process = this.#start();
    this.#running = this.#run();
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** All that the process has written that runs now. */
  get output(): string {
    return Deno.readTextFileSync(this.#log);
  }

  /** For those who ask why it stands still. */
  get lastWords(): string {
    const state = Deno.readTextFileSync(`/proc/${this.pid}/status`).match(/State:.*/)?.[0];
    return `${new Date().toISOString()} ${state}\n${this.output.split("\n").slice(-12).join("\n")}`;
  }

  /** Whether it does the work, as far as it says so. */
  get leads(): boolean {
    const isAtWork = this.#options.mayEnd ? /Took over/ : /Reconciling/;
    return !this.#hasEnded && isAtWork.test(this.output);
  }

  kill(): void {
    this.#isKilled = true;
    signal(this.pid, "SIGKILL");
  }

  /** Asks it to end, which it has to do well. */
  end(): void {
    this.#isAskedToEnd = true;
    signal(this.pid, "SIGTERM");
  }

  /** Called before something else kills it. */
  expectKill(): void {
    this.#isKilled = true;
  }

  async pause(forMs: number): Promise<void> {
    const { pid } = this;
    signal(pid, "SIGSTOP");
    await pause(forMs);
    signal(pid, "SIGCONT");
  }

  /** Lets it open no more files and connections; afterwards as many as before. */
  async exhaustFiles(): Promise<{ end(): Promise<void> }> {
    const { pid } = this;
    const open = await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`)).catch(() => []);
    const limit = (count: number | string) => runToEnd(["prlimit", `--pid=${pid}`, `--nofile=${count}:`]);
    const before = (await runToEnd(["prlimit", `--pid=${pid}`, "--nofile", "--noheadings", "--output=SOFT"])).stdout
      .trim();
    await limit(open.length);
    return { end: async () => void await limit(before) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.kill();
    await this.#running;
  }

  /** It writes into a file: a pipe that is not read would stop it. */
  #start(): Deno.ChildProcess {
    this.#isKilled = this.#isAskedToEnd = this.#hasEnded = false;
    const { args, env, folder } = this.#options;
    this.#log = `${folder}/controller-${crypto.randomUUID()}.log`;
    const command = ['exec "$@" >"$0" 2>&1', this.#log, ...PROGRAM, "controller", ...args];
    Deno.writeTextFileSync(this.#log, "");
    return new Deno.Command("sh", { args: ["-c", ...command], env: { ...env }, stdin: "null" }).spawn();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const { code } = await this.#process.status;
      this.#hasEnded = true;
      this.#judge(code);
      if (this.#isOver) return;
      await pause(RESTART_MS);
      if (!this.#isOver) this.#process = this.#start();
    }
  }

  #judge(code: number): void {
    const { output } = this;
    const tail = output.split("\n").slice(-5).join("\n");
    const uncaught = UNCAUGHT.exec(output)?.[0];
    if (uncaught) this.crashes.push({ at: Date.now(), message: `${uncaught}\n${tail}` });
    // One that finds no server when it starts has nothing to do.
    else if (!this.#isKilled && !this.#mayEndWith(code) && /Reconciling/.test(output)) {
      this.crashes.push({ at: Date.now(), message: `ended with code ${code}:\n${tail}` });
    }
  }

  #mayEndWith(code: number): boolean {
    return this.#isAskedToEnd ? code === 0 : this.#options.mayEnd;
  }
}

function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch {
    // It has ended, and is about to be started again.
  }
}
