import { assertEquals } from "@std/assert";
import { JOBS } from "../../src/kube/resource.ts";
import type { Job } from "../../src/kube/resource.ts";
import { StreamHold } from "../../src/kube/stream_hold.ts";
import { Informer } from "../../src/runtime/informer.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { FakeApi } from "./support/fake_api.ts";
import { job } from "./support/jobs.ts";

const SECOND = 1_000;

/** An informer whose watch can be made to lose what happens. */
class Followed implements AsyncDisposable {
  readonly api = new FakeApi();
  readonly clock = new FakeClock();
  readonly hold = new StreamHold();
  readonly informer = new Informer<Job>({ client: this.api, resource: JOBS, clock: this.clock, hold: this.hold });
  readonly #stop = new AbortController();
  readonly #ended = this.informer.run(this.#stop.signal);

  /** A client creates a Job and gets an answer, while the watch shows it or loses it. */
  async create(name: string, { lost = false } = {}): Promise<void> {
    this.api.mute = lost;
    const created = this.api.put(JOBS, job(`x/${name}`));
    await settle();
    this.api.mute = false;
    this.informer.expectNews(created);
  }

  /** How often a watch was opened. */
  get watches(): number {
    return this.api.requests.filter((request) => request.startsWith("watch")).length;
  }

  get names(): string[] {
    return [...this.informer.store.values()].map(({ metadata }) => metadata.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    await settle();
    assertEquals(this.clock.pending, 0);
  }
}

async function follow(): Promise<Followed> {
  const followed = new Followed();
  await settle();
  return followed;
}

test("Informer opens a watch anew that shows nothing of a new object for 5 seconds, where its version is still known", async () => {
  await using followed = await follow();
  await followed.create("a");
  await followed.create("lost", { lost: true });
  await followed.clock.advance(5 * SECOND - 1);
  assertEquals([followed.watches, followed.names], [1, ["a"]]);
  await followed.clock.advance(1);
  assertEquals([followed.watches, followed.names], [2, ["a", "lost"]]);
  assertEquals(followed.api.requests, ["list jobs", "watch jobs 100", "list jobs", "watch jobs 101"]);
  await followed.clock.advance(600 * SECOND);
  assertEquals([followed.watches, followed.clock.pending], [2, 0]);
});

test("Informer opens a watch anew that shows nothing of a change for 5 seconds by which a write was refused", async () => {
  await using followed = await follow();
  const { api, clock, informer } = followed;
  await followed.create("a");
  api.mute = true;
  const changed = api.put(JOBS, { ...job("x/a"), status: { active: 1 } });
  await settle();
  api.mute = false;
  informer.expectChange(changed);
  await clock.advance(5 * SECOND);
  assertEquals([followed.watches, informer.store.get("x/a")?.status?.active], [2, 1]);
  informer.expectChange(changed);
  api.put(JOBS, { ...job("x/a"), status: { active: 2 } });
  await clock.advance(600 * SECOND);
  assertEquals([followed.watches, clock.pending], [2, 0], "it has come meanwhile");
});

test("Informer waits for nothing while its watch shows what is expected", async () => {
  await using followed = await follow();
  await followed.create("a");
  assertEquals(followed.clock.pending, 0);
  await followed.create("b", { lost: true });
  followed.api.put(JOBS, job("x/news"));
  await followed.clock.advance(600 * SECOND);
  assertEquals([followed.watches, followed.clock.pending], [1, 0]);
});

test("Informer does not take a bookmark for news", async () => {
  await using followed = await follow();
  await followed.create("lost", { lost: true });
  followed.api.bookmark(JOBS);
  await followed.clock.advance(5 * SECOND);
  assertEquals(followed.watches, 2);
});

test("Informer notices a watch that falls silent in the middle of many creations", async () => {
  await using followed = await follow();
  await followed.create("shown", { lost: true });
  await followed.clock.advance(SECOND);
  followed.api.put(JOBS, job("x/shown"));
  await followed.clock.advance(SECOND);
  for (let i = 0; i < 3; i++) {
    await followed.create(`lost-${i}`, { lost: true });
    await followed.clock.advance(SECOND);
  }
  assertEquals(followed.watches, 1);
  await followed.clock.advance(4 * SECOND);
  assertEquals([followed.watches, followed.names.length], [2, 4]);
});

test("Informer opens a watch anew after 5, 10, 20 seconds and so on, until something comes", async () => {
  await using followed = await follow();
  // Its creator got an answer, and it is never seen: whatever is wrong, requests must not become many.
  followed.informer.expectNews({ metadata: { namespace: "x", name: "never" } });
  const opened: number[] = [];
  for (let second = 1; second <= 200; second++) {
    const before = followed.watches;
    await followed.clock.advance(SECOND);
    if (followed.watches > before) opened.push(second);
  }
  assertEquals(opened, [5, 15, 35, 75, 135, 195]);
  await followed.create("a");
  await followed.clock.advance(0);
  assertEquals(followed.clock.pending, 0);
  // Then the next silence is a first one again.
  await followed.create("lost", { lost: true });
  await followed.clock.advance(5 * SECOND);
  assertEquals(followed.names, ["a", "lost"]);
});

test("Informer takes what a held watch has received for news, though nothing is read", async () => {
  await using followed = await follow();
  followed.hold.hold();
  followed.informer.expectNews({ metadata: { namespace: "x", name: "a" } });
  followed.api.put(JOBS, job("x/a"));
  await followed.clock.advance(30 * SECOND);
  assertEquals([followed.watches, followed.names], [1, []]);
  await followed.hold.release();
  assertEquals(followed.names, ["a"]);
});

test("Informer notices a held watch that fell silent, after the hold as well", async () => {
  await using followed = await follow();
  followed.hold.hold();
  followed.api.put(JOBS, job("x/shown"));
  await settle();
  await followed.create("lost", { lost: true });
  await followed.hold.release();
  assertEquals(followed.names, ["shown"]);
  await followed.clock.advance(5 * SECOND);
  assertEquals([followed.watches, followed.names], [2, ["shown", "lost"]]);
});

test("Informer expects nothing of a watch while it lists", async () => {
  await using followed = await follow();
  await followed.create("lost", { lost: true });
  await followed.informer.refresh();
  await followed.clock.advance(60 * SECOND);
  assertEquals([followed.watches, followed.names], [2, ["lost"]]);
});
