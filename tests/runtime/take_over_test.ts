import { assertEquals } from "@std/assert";
import { JOBS, PODS } from "../../src/kube/resource.ts";
import { Informer } from "../../src/runtime/informer.ts";
import { takeOver } from "../../src/runtime/take_over.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { FakeApi } from "./support/fake_api.ts";
import { job } from "./support/jobs.ts";

/** Two caches that run, and the moment of leading. */
class StandingBy implements AsyncDisposable {
  readonly api = new FakeApi();
  readonly clock = new FakeClock();
  readonly jobs = new Informer({ client: this.api, resource: JOBS, clock: this.clock, backoff: { random: () => 0 } });
  readonly pods = new Informer({ client: this.api, resource: PODS, clock: this.clock });
  readonly fresh: unknown[] = [];
  readonly lead = Promise.withResolvers<void>();
  result: boolean | undefined;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[] = [];

  start({ alone = false } = {}): void {
    const leading = alone ? undefined : { ready: () => this.lead.promise };
    const { signal } = this.#stop;
    const onFresh = (cache: unknown) => void this.fresh.push(cache === this.jobs ? "jobs" : "pods");
    this.#running.push(this.jobs.run(signal), this.pods.run(signal));
    const taking = takeOver<typeof this.jobs | typeof this.pods>([this.jobs, this.pods], { leading, signal, onFresh });
    this.#running.push(taking.then((result) => this.result = result));
  }

  /** What was listed since the last call, in order. */
  lists(): string[] {
    return this.api.requests.splice(0).filter((request) => request.startsWith("list"));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

test("takeOver() without a leadership waits for the first lists, and for nothing else", async () => {
  await using standby = new StandingBy();
  standby.start({ alone: true });
  await settle();
  assertEquals([standby.result, standby.lists()], [true, ["list jobs", "list pods"]]);
});

test("takeOver() follows the caches while another one leads, and lists them again, one by one, when it leads", async () => {
  await using standby = new StandingBy();
  standby.start();
  await settle();
  standby.api.put(JOBS, job("x/a"));
  await settle();
  assertEquals([standby.result, standby.jobs.store.size, standby.lists()], [undefined, 1, ["list jobs", "list pods"]]);

  const held = Promise.withResolvers<void>();
  standby.api.intercept = (verb, resource) => verb === "list" && resource === JOBS ? held.promise : undefined;
  standby.lead.resolve();
  await settle();
  assertEquals([standby.result, standby.fresh, standby.lists()], [undefined, [], ["list jobs"]]);
  held.resolve();
  await settle();
  assertEquals([standby.result, standby.fresh, standby.lists()], [true, ["jobs", "pods"], ["list pods"]]);
});

test("takeOver() has what the watches have not delivered", async () => {
  await using standby = new StandingBy();
  const silent = Promise.withResolvers<void>();
  standby.api.intercept = (verb) => verb === "watch" ? silent.promise : undefined;
  standby.start();
  await settle();
  standby.api.put(JOBS, job("x/a"));
  await settle();
  assertEquals(standby.jobs.store.size, 0);
  standby.lead.resolve();
  await settle();
  assertEquals([standby.result, standby.jobs.store.size], [true, 1]);
  silent.resolve();
});

test("takeOver() does not count a first list that began before it led", async () => {
  await using standby = new StandingBy();
  const held = Promise.withResolvers<void>();
  let lists = 0;
  standby.api.intercept = (verb) => verb === "list" && ++lists <= 2 ? held.promise : undefined;
  standby.start();
  await settle();
  standby.lead.resolve();
  await settle();
  assertEquals([standby.result, lists], [true, 4]);
  held.resolve();
});

test("takeOver() ends when it is asked to, whether it leads or not", async () => {
  for (const leads of [false, true]) {
    const standby = new StandingBy();
    standby.api.intercept = () => new Promise(() => {/* never */});
    standby.start();
    if (leads) standby.lead.resolve();
    await settle();
    await standby.stop();
    assertEquals(standby.result, false);
  }
});
