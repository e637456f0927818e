import { assertEquals, assertRejects } from "@std/assert";
import type { HealthCheck } from "../../src/runtime/health_check.ts";
import { openNotifySocket } from "../../src/runtime/notify_socket.ts";
import { ServiceManager, watchdogOf } from "../../src/runtime/service_manager.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";

const READY = "READY=1\nSTATUS=Running CronJobs";
const FED = "WATCHDOG=1";
const STOPPING = "STOPPING=1\nSTATUS=Stopping";

class World implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly heard: string[] = [];
  check: HealthCheck = { name: "work/cronjob", live: true, check: () => ({ ok: true }) };
  answers: (signal: AbortSignal) => Promise<unknown> = () => Promise.resolve();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(watchdogMs: number | undefined) {
    this.#running = new ServiceManager({
      clock: this.clock,
      notify: (state) => Promise.resolve(void this.heard.push(state)),
      watchdogMs,
      checks: () => [this.check],
      answers: (signal) => this.answers(signal),
    }).run(this.#stop.signal);
  }

  async [Symbol.asyncDispose]() {
    this.#stop.abort();
    await this.#running;
    assertEquals(this.clock.pending, 0);
  }
}

test("the service manager hears that the program is ready, three times in its watchdog's time that it lives, and that it stops", async () => {
  const world = new World(30_000);
  await world.clock.advance(20_000);
  assertEquals(world.heard, [READY, FED, FED, FED]);
  await world[Symbol.asyncDispose]();
  assertEquals(world.heard.at(-1), STOPPING);
});

test("without a watchdog nothing is fed", async () => {
  const world = new World(undefined);
  await world.clock.advance(600_000);
  await world[Symbol.asyncDispose]();
  assertEquals(world.heard, [READY, STOPPING]);
});

test("the watchdog goes hungry while a part needs a new start, and only then", async () => {
  await using world = new World(30_000);
  await world.clock.advance(0);
  const check = () => ({ ok: false, detail: "at work on one key for 31 min" });
  world.check = { ...world.check, check };
  await world.clock.advance(30_000);
  assertEquals(world.heard, [READY, FED]);
  world.check = { ...world.check, live: false };
  await world.clock.advance(10_000);
  assertEquals(world.heard, [READY, FED, FED]);
});

test("the watchdog goes hungry while the API does not answer, or refuses", async () => {
  await using world = new World(30_000);
  await world.clock.advance(0);
  world.answers = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  await world.clock.advance(30_000);
  assertEquals(world.heard, [READY, FED]);
  world.answers = () => Promise.reject(new Error("no answer"));
  await world.clock.advance(30_000);
  assertEquals(world.heard, [READY, FED]);
  world.answers = () => Promise.resolve();
  await world.clock.advance(20_000);
  assertEquals(world.heard.slice(2), [FED, FED]);
});

test("a socket that is a file takes datagrams", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/notify`;
  const listener = Deno.listenDatagram({ transport: "unixpacket", path });
  using socket = openNotifySocket(path);
  await socket.notify(READY);
  const [datagram] = await listener.receive();
  listener.close();
  assertEquals(new TextDecoder().decode(datagram), READY);
});

testAlone(
  import.meta.url,
  "a socket of the abstract namespace is reached by systemd-notify, whose failure is told",
  async () => {
    await using folder = await temporaryFolder();
    const said = `${folder.path}/said`;
    await Deno.writeTextFile(
      `${folder.path}/systemd-notify`,
      `#!/bin/sh\nprintf '%s\\n' "$@" >> ${said}\n[ "$1" = READY=1 ]\n`,
      { mode: 0o755 },
    );
    Deno.env.set("PATH", `${folder.path}:${Deno.env.get("PATH")}`);
    using socket = openNotifySocket("@/notify");
    await socket.notify(READY);
    await assertRejects(() => socket.notify(STOPPING), Error, "systemd-notify ended with exit code 1");
    assertEquals(await Deno.readTextFile(said), `${READY}\n${STOPPING}\n`);
  },
);

test("a watchdog over another process is none over this one", () => {
  const env = (variables: Record<string, string>) => new Map(Object.entries(variables));
  assertEquals(watchdogOf(env({ WATCHDOG_USEC: "60000000" }), 7), 60_000);
  assertEquals(watchdogOf(env({ WATCHDOG_USEC: "60000000", WATCHDOG_PID: "7" }), 7), 60_000);
  assertEquals(watchdogOf(env({ WATCHDOG_USEC: "60000000", WATCHDOG_PID: "8" }), 7), undefined);
  assertEquals(watchdogOf(env({ WATCHDOG_USEC: "0" }), 7), undefined);
  assertEquals(watchdogOf(env({}), 7), undefined);
});
