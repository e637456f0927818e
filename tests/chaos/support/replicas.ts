import { assert, assertEquals, assertMatch } from "@std/assert";
import { atLeast } from "../../support/expected.ts";
import { eventually, PROGRAM, RunningProgram } from "../../support/program.ts";

export type Ending = "released" | "killed" | "paused";

export interface HandOver {
  readonly ending: Ending;
  /** When the leader was asked to end, or was stopped dead; wall clock. */
  readonly from: number;
  /** When the first Job of the new leader was seen. */
  readonly to: number;
  readonly leadsAfterMs: number;
  readonly worksAfterMs: number;
  readonly firstJobAfterMs: number;
}

export interface ReplicasOptions {
  readonly kubeconfig: string;
  /** Of the CronJobs, and of the Lease. */
  readonly namespace: string;
  /** Flags of every replica. */
  readonly args?: readonly string[] | undefined;
}

/** Two `controller` processes that compete for one Lease. One that is lost is started again. */
export class Replicas implements AsyncDisposable {
  readonly #options: ReplicasOptions;
  #leader: Replica;
  #standby: Replica;

  private constructor(options: ReplicasOptions, leader: Replica, standby: Replica) {
    this.#options = options;
    this.#leader = leader;
    this.#standby = standby;
  }

  static async start(options: ReplicasOptions): Promise<Replicas> {
    const leader = new Replica(options);
    await leader.program.waitFor(/Took over/);
    return new Replicas(options, leader, new Replica(options));
  }

  get leader(): Replica {
    return this.#leader;
  }

  get standby(): Replica {
    return this.#standby;
  }

  /** Ends the leader, waits until the other one has started a run, and starts another one to stand by. */
  async handOver(ending: Ending): Promise<HandOver> {
    const [former, next] = [this.#leader, this.#standby];
    await next.standsBy();
    former.assertLives();
    const from = Date.now();
    const began = performance.now();
    const after = async (pattern: RegExp) => {
      await next.program.waitFor(pattern);
      return performance.now() - began;
    };
    if (ending !== "released") former.signal(ending === "killed" ? "SIGKILL" : "SIGSTOP");
    const ended = ending === "released" ? former.program.end("SIGTERM") : undefined;
    const [leadsAfterMs, worksAfterMs, firstJobAfterMs] = atLeast(
      3,
      await Promise.all(
        [/Became leader/, /Took over/, /Started a run of/].map(after),
      ),
    );
    const to = Date.now();
    this.#leader = next;
    if (ended) assertEquals((await ended).code, 0, former.program.output);
    if (ending === "paused") await former.wakesUpAndGoes(from);
    if (ending === "killed") await former.program.end();
    this.#standby = new Replica(this.#options);
    return { ending, from, to, leadsAfterMs, worksAfterMs, firstJobAfterMs };
  }

  /** In the order of a rollout that ends: no replica takes over. */
  async end(): Promise<void> {
    await this.#standby.standsBy();
    for (const replica of [this.#standby, this.#leader]) {
      const { code } = await replica.program.end("SIGTERM");
      assertEquals(code, 0, replica.program.output);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#leader, this.#standby].map(({ program }) => program[Symbol.asyncDispose]()));
  }
}

/** One `controller` process, with its endpoints on free ports. */
export class Replica {
  readonly program: RunningProgram;

  constructor({ kubeconfig, namespace, args = [] }: ReplicasOptions) {
    const command = [...PROGRAM, "controller", "--kubeconfig", kubeconfig, "--namespace", namespace, "--leader-elect"];
    command.push("--leader-election-namespace", namespace, "--metrics-bind-address", "127.0.0.1:0");
    command.push("--per-cronjob-metrics", "all");
    this.program = new RunningProgram([...command, "--health-probe-bind-address", "127.0.0.1:0", ...args]);
  }

  signal(signal: Deno.Signal): void {
    this.program.child.kill(signal);
  }

  assertLives(): void {
    assert(!this.program.hasEnded, `It ended by itself:\n${this.program.output}`);
  }

  /** Waits until its caches are filled, while another one leads. */
  async standsBy(): Promise<void> {
    let said = "";
    const standsBy = async () => {
      const { status, text } = await this.program.ask("health", "/readyz?verbose");
      said = text;
      return status === 200 && /leader-election ok: standing by, \S+ leads/.test(text);
    };
    try {
      await eventually("it stands by with warm caches", standsBy);
    } catch (error) {
      throw new Error(`It does not stand by: ${said}\n${this.program.output}`, { cause: error });
    }
  }

  /** After a pause since then, in which it lost its lease: it ends with a failure, and starts nothing that came due in it. */
  async wakesUpAndGoes(pausedAt: number): Promise<void> {
    const before = this.program.output.length;
    this.signal("SIGCONT");
    const { code } = await this.program.end();
    const said = this.program.output.slice(before);
    assertEquals(code, 1, said);
    assertMatch(said, /Stopped leading/);
    // The answers to what it asked for before may have waited for it.
    const started = [...said.matchAll(/Started a run of.* scheduledTime=(\S+)/g)].map(([, time = ""]) => time);
    assertEquals(started.filter((time) => Date.parse(time) > pausedAt), [], said);
  }
}
