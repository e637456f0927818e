import type { Kill, Upstream } from "./fault_proxy.ts";
import type { Command, Report } from "./messages.ts";
import type { FaultRule } from "./rules.ts";
import { lines } from "../../support/lines.ts";

/** How many requests came within a second, Events not counted, which burst; and when that was over. */
export interface Rate {
  readonly at: number;
  readonly total: number;
  /** How often the same was asked for at most; and what that was. */
  readonly mostOften: number;
  readonly what: string;
}

/** A fault proxy in a process of its own. */
export class ProxyProcess implements AsyncDisposable {
  readonly rates: Rate[] = [];
  /** When the creation of each Job was asked for, each time; by `namespace/name`. */
  readonly askedAt = new Map<string, number[]>();
  readonly #process: Deno.ChildProcess;
  readonly #reports: AsyncGenerator<string>;
  readonly #commands: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  #reading: Promise<void> | undefined;
  #port = 0;

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#reports = lines(process.stdout);
    this.#commands = process.stdin.getWriter();
  }

  static async start(upstream: Upstream): Promise<ProxyProcess> {
    const script = new URL("./main.ts", import.meta.url).pathname;
    const proxy = new ProxyProcess(
      new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", script, JSON.stringify(upstream)],
        stdin: "piped",
        stdout: "piped",
      }).spawn(),
    );
    const { value } = await proxy.#reports.next();
    if (value === undefined) throw new Error("The fault proxy ended before it listened");
    proxy.#port = JSON.parse(value).port;
    proxy.#reading = proxy.#read();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  set(rules: readonly FaultRule[], seed: number): Promise<void> {
    return this.#tell({ rules, seed });
  }

  forget(): Promise<void> {
    return this.#tell({ forget: true });
  }

  kill(kill: Kill): Promise<void> {
    return this.#tell({ kill });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commands.close().catch(() => {});
    await this.#reading;
    await this.#process.status;
  }

  async #tell(command: Command): Promise<void> {
    await this.#commands.write(new TextEncoder().encode(`${JSON.stringify(command)}\n`));
  }

  async #read(): Promise<void> {
    for await (const line of this.#reports) {
      const report: Report = JSON.parse(line);
      if ("asked" in report) this.rates.push(rateOf(report.asked, report.at));
      if ("job" in report) this.askedAt.set(report.job, [...this.askedAt.get(report.job) ?? [], report.at]);
    }
  }
}

function rateOf(asked: Readonly<Record<string, number>>, at: number): Rate {
  const counted = Object.entries(asked).filter(([what]) => !what.includes(" events "));
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  const [[what, mostOften] = ["", 0]] = counted.toSorted(([, a], [, b]) => b - a);
  return { at, total, mostOften, what };
}
