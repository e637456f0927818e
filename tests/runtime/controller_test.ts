import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  Controller,
  type ControllerOptions,
  type Reconcile,
  type ReconcileResult,
} from "../../src/runtime/controller.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { configureLogging } from "../../src/telemetry/logging.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { refusal } from "./support/fake_api.ts";

type Awaitable<T> = T | Promise<T>;

/** A controller at work. */
class Worked implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly calls: string[] = [];
  readonly controller: Controller;
  readonly #stop = new AbortController();
  #ended: Promise<void>;

  constructor(
    reconcile: (...args: Parameters<Reconcile>) => Awaitable<ReconcileResult | void>,
    options: Partial<ControllerOptions> = {},
  ) {
    this.controller = new Controller({
      name: "test",
      clock: this.clock,
      backoff: { initialMs: 1_000, random: () => 0 },
      ...options,
      reconcile: async (key, signal, options) => {
        this.calls.push(key);
        return await reconcile(key, signal, options);
      },
    });
    this.#ended = this.controller.run(this.#stop.signal);
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    assertEquals(this.clock.pending, 0);
  }
}

test("Controller reconciles what is asked for, and then waits for a change", async () => {
  await using worked = new Worked(() => {});
  worked.controller.enqueue("x/a");
  await worked.clock.advance(86_400_000);
  assertEquals(worked.calls, ["x/a"]);
});

test("Controller comes back at the time that reconcile names", async () => {
  const clock = new FakeClock();
  await using worked = new Worked(() => ({ requeueAt: clock.now() + 60_000 }), { clock });
  worked.controller.enqueue("x/a");
  await clock.advance(59_999);
  assertEquals(worked.calls.length, 1);
  await clock.advance(1);
  assertEquals(worked.calls.length, 2);
  await clock.advance(120_000);
  assertEquals(worked.calls.length, 4);
});

test("Controller comes back at the time that the last reconcile named, not an earlier one", async () => {
  const clock = new FakeClock();
  const delays = [60_000, 300_000];
  await using worked = new Worked(() => ({ requeueAt: clock.now() + delays.shift()! }), { clock });
  worked.controller.enqueue("x/a");
  await settle();
  worked.controller.enqueue("x/a");
  await clock.advance(299_999);
  assertEquals(worked.calls.length, 2);
});

test("Controller keeps the time that reconcile names where it asks for more at once, and that fails", async () => {
  const clock = new FakeClock();
  const results = [() => ({ requeueAt: clock.now() + 10_000, again: true }), () => {
    throw new Error("not now");
  }];
  await using worked = new Worked(() => results.shift()?.(), {
    clock,
    backoff: { initialMs: 60_000, random: () => 0 },
  });
  worked.controller.enqueue("x/a");
  await clock.advance(9_999);
  assertEquals(worked.calls.length, 2);
  await clock.advance(1);
  assertEquals(worked.calls.length, 3);
});

test("Controller tries again after an error, later each time, and as before after a success", async () => {
  let failing = true;
  await using worked = new Worked(() => {
    if (failing) throw new Error("not now");
  });
  worked.controller.enqueue("x/a");
  await settle();
  for (const [delayMs, calls] of [[999, 1], [1, 2], [1_999, 2], [1, 3]] as const) {
    await worked.clock.advance(delayMs);
    assertEquals(worked.calls.length, calls);
  }
  failing = false;
  await worked.clock.advance(4_000);
  assertEquals(worked.calls.length, 4);
  failing = true;
  worked.controller.enqueue("x/a");
  await worked.clock.advance(1_000);
  assertEquals(worked.calls.length, 6);
});

test("Controller waits at least as long as the server asks", async () => {
  let calls = 0;
  await using worked = new Worked(() => {
    if (++calls === 1) throw refusal(429, "TooManyRequests", "busy", 30_000);
  });
  worked.controller.enqueue("x/a");
  await worked.clock.advance(29_999);
  assertEquals(calls, 1);
  await worked.clock.advance(1);
  assertEquals(calls, 2);
});

test("Controller goes on with other keys when one throws at once, or never ends", async () => {
  const stuck = Promise.withResolvers<void>();
  await using worked = new Worked((key) => {
    if (key === "poisoned") throw "no Error at all";
    if (key === "stuck") return stuck.promise;
  }, { concurrency: 2 });
  for (const key of ["poisoned", "stuck", "a", "b", "c"]) worked.controller.enqueue(key);
  await settle();
  assertEquals(worked.calls, ["poisoned", "stuck", "a", "b", "c"]);
  stuck.resolve();
});

test("Controller works on as many keys at a time as it may, and never twice on one", async () => {
  let working = 0;
  let most = 0;
  const now = new Set<string>();
  const clock = new FakeClock();
  await using worked = new Worked(async (key) => {
    assertEquals(now.has(key), false);
    now.add(key);
    most = Math.max(most, ++working);
    await clock.sleep(100);
    working--;
    now.delete(key);
  }, { clock, concurrency: 3 });
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 6; i++) worked.controller.enqueue(`key ${i}`);
    await clock.advance(60);
  }
  await clock.advance(1_000);
  assertEquals(most, 3);
  assertEquals([worked.controller.queue.depth, worked.controller.queue.processing], [0, 0]);
});

test("Controller works on keys of other namespaces while those of one take long, due ones among them", async () => {
  const clock = new FakeClock();
  await using worked = new Worked((key) => key.startsWith("slow/") ? clock.sleep(10_000) : undefined, {
    clock,
    concurrency: 2,
  });
  for (let i = 0; i < 20; i++) worked.controller.enqueueAt(`slow/${i}`, clock.now());
  for (const key of ["other/a", "other/b"]) worked.controller.enqueue(key);
  await clock.advance(1_000);
  assertEquals(worked.calls.filter((key) => key.startsWith("other/")), ["other/a", "other/b"]);
  await clock.advance(100_000);
  assertEquals(worked.calls.length, 22);
});

test("Controller begins only when what it reads is ready, with what was asked for before", async () => {
  const ready = Promise.withResolvers<void>();
  await using worked = new Worked(() => {}, { waitFor: [{ ready: () => ready.promise }] });
  worked.controller.enqueue("x/a");
  await worked.clock.advance(60_000);
  assertEquals(worked.calls, []);
  ready.resolve();
  await settle();
  assertEquals(worked.calls, ["x/a"]);
});

test("Controller stops while it still waits for what it reads", async () => {
  await using worked = new Worked(() => {}, { waitFor: [{ ready: () => new Promise(() => {/* never */}) }] });
  worked.controller.enqueue("x/a");
  await worked.stop();
  assertEquals(worked.calls, []);
});

test("Controller finishes what is under way when it is stopped, and begins nothing", async () => {
  const clock = new FakeClock();
  const ended: string[] = [];
  await using worked = new Worked(async (key, signal) => {
    await clock.sleep(1_000, signal);
    ended.push(key);
  }, { clock, concurrency: 1 });
  worked.controller.enqueue("x/a");
  worked.controller.enqueue("x/b");
  await settle();
  const stopped = worked.stop().then(() => ended.push("all"));
  await clock.advance(1_000);
  await stopped;
  assertEquals([worked.calls, ended], [["x/a"], ["x/a", "all"]]);
});

test("Controller aborts what is still under way after its drain time", async () => {
  const clock = new FakeClock();
  await using worked = new Worked((_, signal) => clock.sleep(3_600_000, signal), { clock, drainMs: 5_000 });
  worked.controller.enqueue("x/a");
  await settle();
  const stopped = worked.stop();
  await clock.advance(5_000);
  await stopped;
});

test("Controller reports to its observer what came of each reconcile", async () => {
  const seen: string[] = [];
  await using worked = new Worked((key) => {
    if (key === "error") throw new Error();
    if (key === "again") return { requeueAt: Infinity };
  }, {
    concurrency: 1,
    observer: {
      onReconcile: (controller, outcome) => seen.push(`${controller} ${outcome}`),
      onRetry: (controller) => seen.push(`${controller} retry`),
    },
  });
  for (const key of ["fine", "again", "error"]) worked.controller.enqueue(key);
  await settle();
  assertEquals(seen, ["test success", "test requeue_at", "test retry", "test error"]);
});

test("Controller refuses to run twice", async () => {
  await using worked = new Worked(() => {});
  await assertRejects(() => worked.controller.run(new AbortController().signal), Error, "it ran already");
});

test("Controller logs what fails without end at once and once a minute, and waits a second for what answers nonsense", async () => {
  const lines: string[] = [];
  configureLogging({ level: "info", format: "text", write: (line) => lines.push(line) });
  try {
    const error = new UnreachableError("Cannot create jobs: the server's answer is no JSON", { retryAfterMs: 1_000 });
    const backoff = { initialMs: 20, maxMs: 10_000, random: () => 0 };
    await using worked = new Worked(() => Promise.reject(error), { backoff });
    for (let index = 0; index < 19; index++) worked.controller.enqueue(`x/${index}`);
    await worked.clock.advance(999);
    assertEquals(worked.calls.length, 19);
    await worked.clock.advance(12 * 60_000);
    assert(worked.calls.length > 1_000);
    assert(lines.length <= 13, lines.join("\n"));
    assertMatch(lines[0]!, /controller: Cannot reconcile x\/0, trying again: Cannot create jobs: .* no JSON/);
    assertMatch(
      lines[1]!,
      /controller: Cannot reconcile (x\/\d+, ){9}x\/\d+, \d+ more times in \d+ ms, trying again: /,
    );
  } finally {
    configureLogging({ level: "fatal", format: "json", write: () => {} });
  }
});

test("Controller sums up what failed since its last line when it stops", async () => {
  const lines: string[] = [];
  configureLogging({ level: "info", format: "text", write: (line) => lines.push(line) });
  try {
    const worked = new Worked(() => Promise.reject(new UnreachableError("Cannot create jobs: no route")));
    for (const key of ["x/a", "x/b"]) worked.controller.enqueue(key);
    await worked.clock.advance(0);
    await worked.stop();
    assertMatch(lines.at(-1)!, /Cannot reconcile x\/b, 1 more times in \d+ ms, trying again: .* no route/);
  } finally {
    configureLogging({ level: "fatal", format: "json", write: () => {} });
  }
});
