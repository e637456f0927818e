import { fail } from "@std/assert";
import { atLeast, must } from "./expected.ts";
import { type Ended, runToEnd } from "./run_to_end.ts";
import { auditLogPath } from "./audit.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** Whether the compiled executable is under test. */
export const COMPILED = Deno.env.has("CJC_TEST_BINARY");

/**
 * The program under test: the compiled executable that `CJC_TEST_BINARY` names, else what Deno runs. That is the bundle
 * of `deno task test`, which starts in half the time, or else `main.ts`.
 */
export const PROGRAM: readonly string[] = Deno.env.get("CJC_TEST_BINARY")
  ? [Deno.env.get("CJC_TEST_BINARY")!]
  : [Deno.execPath(), "run", "-A", "--no-check", Deno.env.get("CJC_TEST_BUNDLE") ?? `${ROOT}main.ts`];

/** For `controller` processes that run beside others: nothing listens on the default ports. */
export const NO_ENDPOINTS = ["--metrics-bind-address", "0", "--health-probe-bind-address", "0"] as const;

/** A process with its output so far; `kill`ed when disposed of. */
export class RunningProgram implements AsyncDisposable {
  readonly child: Deno.ChildProcess;
  /** Standard output and standard error as they came. */
  output = "";
  #waiters = new Set<() => void>();
  #readers: Promise<unknown>;
  #ended = false;

  constructor(command: readonly string[], options: { env?: Record<string, string>; cwd?: string } = {}) {
    const [program, ...args] = atLeast(1, command);
    this.child = new Deno.Command(program, { args, stdin: "null", stdout: "piped", stderr: "piped", ...options })
      .spawn();
    this.#readers = Promise.all([this.#read(this.child.stdout), this.#read(this.child.stderr)]).then(() => {
      this.#ended = true;
      this.#wake();
    });
  }

  get pid(): number {
    return this.child.pid;
  }

  /** Whether it is known to have ended. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  /** Waits until the output matches `count` times; fails with the output if the program ends or `timeoutMs` is over. */
  async waitFor(pattern: RegExp, { count = 1, timeoutMs = 120_000 } = {}): Promise<RegExpMatchArray> {
    const all = new RegExp(pattern.source, pattern.flags.replace("g", "") + "g");
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const matches = [...this.output.matchAll(all)];
      if (matches.length >= count) return must(matches[count - 1]);
      if (this.#ended) fail(`The program ended before ${pattern} was seen ${count} times. Its output:\n${this.output}`);
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) fail(`No ${pattern} (${count} times) within ${timeoutMs} ms. Output:\n${this.output}`);
      await this.#change(leftMs);
    }
  }

  /** Asks one of the servers of a `controller`, at the address that it has said. */
  async ask(server: "metrics" | "health", path: string): Promise<{ status: number; text: string }> {
    const [, address] = await this.waitFor(new RegExp(`Serving \\W*${server}\\W* on \\W*([\\d.]+:\\d+)`));
    const response = await fetch(`http://${address}${path}`);
    return { status: response.status, text: await response.text() };
  }

  /** Sends a signal (none: just waits) and gives the exit status. */
  async end(signal?: Deno.Signal): Promise<Deno.CommandStatus> {
    if (signal) this.#signal(signal);
    const status = await this.child.status;
    await this.#readers;
    return status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
  }

  #signal(signal: Deno.Signal): void {
    try {
      this.child.kill(signal);
    } catch (error) {
      // It has ended already, which is what was wanted.
      if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  async #read(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      this.output += text;
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#waiters.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** Runs the program to its end. */
export async function runProgram(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Ended> {
  return await runToEnd([...PROGRAM, ...args], options);
}

/** A started `standalone`: its process, data dir and kubeconfig. The data dir is the caller's. */
export class Standalone implements AsyncDisposable {
  readonly program: RunningProgram;
  readonly kubeconfig: string;

  private constructor(program: RunningProgram, kubeconfig: string) {
    this.program = program;
    this.kubeconfig = kubeconfig;
  }

  /** Starts it on `dataDir` and any free port, and waits until it says that it is ready. */
  static async start(dataDir: string, args: readonly string[] = []): Promise<Standalone> {
    const auditLog = auditLogPath();
    const audit = auditLog ? ["--audit-log-path", auditLog] : [];
    const options = ["--data-dir", dataDir, "--port", "0", "--dashboard-address", "0", ...audit, ...args];
    const program = new RunningProgram([...PROGRAM, "standalone", ...options]);
    try {
      await program.waitFor(/Ready: kubectl works/);
    } catch (error) {
      await program[Symbol.asyncDispose]();
      throw error;
    }
    return new Standalone(program, `${dataDir}/kubeconfig`);
  }

  kubectl(...args: string[]): Promise<Ended> {
    return kubectl(this.kubeconfig, args);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<boolean>((resolve) => timer = setTimeout(() => resolve(false), 15_000));
    const ended = await Promise.race([this.program.end("SIGTERM").then(() => true), tooLate]);
    clearTimeout(timer);
    if (!ended) await this.program[Symbol.asyncDispose]();
  }
}

/** The link by which one comes to its dashboard, once. */
export async function dashboardLink({ program }: Standalone): Promise<string> {
  return (await program.waitFor(/http:\/\/\S+\/#code=\S+/))[0];
}

/** Runs kubectl to its end, with a discovery cache of its own. */
export async function kubectl(kubeconfig: string, args: readonly string[], stdin?: string): Promise<Ended> {
  const command = ["kubectl", "--kubeconfig", kubeconfig, "--cache-dir", `${kubeconfig}.cache`, ...args];
  return await runToEnd(command, { stdin });
}

/** Runs kubectl, which must succeed; gives its standard output. */
export async function kubectlOk(kubeconfig: string, args: readonly string[], stdin?: string): Promise<string> {
  const result = await kubectl(kubeconfig, args, stdin);
  if (result.code !== 0) fail(`kubectl ${args.join(" ")} failed with ${result.code}: ${result.stderr}${result.stdout}`);
  return result.stdout;
}

/** Repeats `attempt` every 100 ms, more seldom where it takes long, until it gives something else than undefined and false. */
export async function eventually<T>(
  what: string,
  attempt: () => Promise<T | undefined | false>,
  timeoutMs = 120_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let waitMs = 2;; waitMs = Math.min(100, waitMs * 1.5)) {
    const began = performance.now();
    const result = await attempt();
    if (result !== undefined && result !== false) return result as T;
    const tookMs = performance.now() - began;
    if (performance.now() > deadline) fail(`Not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(waitMs, Math.min(500, 3 * tookMs))));
  }
}

/** A folder that is removed when disposed of. */
export async function temporaryFolder(
  files: Readonly<Record<string, string>> = {},
): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "cjc-test-" });
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(`${path}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${path}/${name}`, text);
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
