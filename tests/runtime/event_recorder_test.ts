import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Event, EVENTS, type Job, JOBS } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { type EventRecord, EventRecorder } from "../../src/runtime/event_recorder.ts";
import { atLeast, must } from "../support/expected.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { FakeApi, refusal } from "./support/fake_api.ts";
import { job } from "./support/jobs.ts";

/** A recorder at work, and what it records about. */
class Recorded implements AsyncDisposable {
  readonly api: FakeApi;
  readonly clock: FakeClock;
  readonly recorder: EventRecorder;
  readonly about: Job;
  /** How many were dropped, by cause. */
  readonly dropped: Record<string, number> = {};
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;

  constructor({ api, clock }: Partial<Pick<Recorded, "api" | "clock">> = {}) {
    this.api = api ?? new FakeApi();
    this.clock = clock ?? new FakeClock();
    this.about = this.api.put(JOBS, job("x/a"));
    this.recorder = new EventRecorder({
      client: this.api,
      clock: this.clock,
      component: "tester",
      onDrop: (cause) => void (this.dropped[cause] = (this.dropped[cause] ?? 0) + 1),
    });
  }

  start(): this {
    this.#ended = this.recorder.run(this.#stop.signal);
    return this;
  }

  async record(record: Partial<EventRecord> = {}): Promise<void> {
    this.recorder.record({ regarding: this.about, type: "Normal", reason: "Tested", message: "went well", ...record });
    await settle();
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.#ended ?? Promise.resolve();
  }

  get events(): Event[] {
    return this.api.all(EVENTS) as Event[];
  }

  get inShort(): string[] {
    return this.events.map(({ message, count }) => `${count} ${message}`).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    assertEquals(this.clock.pending, 0);
  }
}

test("EventRecorder writes Events as kubectl reads them", async () => {
  await using recorded = new Recorded().start();
  await recorded.record();
  const { metadata, ...event } = must(recorded.events[0]);
  const { name, uid, resourceVersion } = recorded.about.metadata;
  assertEquals(metadata.namespace, "x");
  assertMatch(metadata.name, /^a\.[0-9a-f]{16}$/);
  assertEquals(event, {
    apiVersion: "v1",
    kind: "Event",
    involvedObject: { apiVersion: "batch/v1", kind: "Job", name, namespace: "x", uid, resourceVersion },
    type: "Normal",
    reason: "Tested",
    message: "went well",
    count: 1,
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    source: { component: "tester" },
    reportingComponent: "tester",
    reportingInstance: "",
  });
});

test("EventRecorder writes about an object without a namespace in namespace default", async () => {
  await using recorded = new Recorded().start();
  const { namespace: _, ...metadata } = recorded.about.metadata;
  await recorded.record({ regarding: { ...recorded.about, metadata } });
  assertEquals(must(recorded.events[0]).metadata.namespace, "default");
});

test("EventRecorder raises the count of an Event that comes again", async () => {
  await using recorded = new Recorded().start();
  await recorded.record();
  await recorded.clock.advance(60_000);
  await recorded.record();
  await recorded.record();
  assertEquals(recorded.inShort, ["3 went well"]);
  const [{ firstTimestamp, lastTimestamp }] = atLeast(1, recorded.events);
  assertEquals([firstTimestamp, lastTimestamp], ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"]);
});

test("EventRecorder makes one request of what comes again while it waits", async () => {
  await using recorded = new Recorded();
  for (let i = 0; i < 5; i++) await recorded.record();
  recorded.start();
  await settle();
  assertEquals(recorded.inShort, ["5 went well"]);
  assertEquals(recorded.api.requests.length, 1);
});

test("EventRecorder begins anew when its Event has expired", async () => {
  await using recorded = new Recorded().start();
  await recorded.record();
  recorded.api.remove(EVENTS, must(recorded.events[0]).metadata);
  await recorded.record();
  assertEquals(recorded.inShort, ["1 went well"]);
});

test("EventRecorder stores an Event about a scheduled time once, crashes included", async () => {
  const scheduledTime = Date.parse("2026-01-01T00:05:00Z");
  await using before = new Recorded().start();
  await before.record({ scheduledTime });
  await before.record({ scheduledTime });
  await before.record({ scheduledTime: scheduledTime + 60_000 });
  assertEquals(before.inShort, ["1 went well", "1 went well"]);

  await using after = new Recorded(before).start();
  await after.record({ regarding: before.about, scheduledTime });
  assertEquals([before.events.length, after.dropped], [2, {}]);
});

test("EventRecorder counts in one what differs in the message alone, after the first ten", async () => {
  await using recorded = new Recorded().start();
  for (let i = 0; i < 15; i++) await recorded.record({ message: `number ${i}` });
  assertEquals(recorded.events.length, 11);
  assert(recorded.inShort.includes("5 (combined from similar events): number 14"));
  await recorded.clock.advance(600_001);
  await recorded.record({ message: "another day" });
  assert(recorded.inShort.includes("1 another day"));
});

test("EventRecorder lets no object flood the server, and counts what it drops", async () => {
  await using recorded = new Recorded();
  for (let i = 0; i < 110; i++) await recorded.record({ scheduledTime: i * 60_000 });
  await recorded.record({ type: "Warning" });
  assertEquals(recorded.dropped, { flood: 10 });
  await recorded.clock.advance(10_000);
  await recorded.record({ scheduledTime: 1 });
  assertEquals(recorded.dropped, { flood: 10 });
  recorded.start();
  await settle();
  assertEquals(recorded.events.length, 102);
});

test("EventRecorder counts in one the Warnings about many scheduled times, after the first ten, until none comes", async () => {
  await using recorded = new Recorded().start();
  const warn = (minute: number) =>
    recorded.record({
      type: "Warning",
      reason: "FailedCreate",
      message: "exceeded quota",
      scheduledTime: minute * 60_000,
    });
  for (let minute = 0; minute < 20; minute++) {
    await warn(minute);
    await recorded.clock.advance(60_000);
  }
  assertEquals(recorded.events.length, 11);
  assert(recorded.inShort.includes("10 (combined from similar events): exceeded quota"));
  await recorded.clock.advance(600_001);
  await warn(30);
  assertEquals(recorded.events.length, 12);
});

test("EventRecorder sends 25 Warnings of one reason, then one in five minutes, and those of other reasons", async () => {
  await using recorded = new Recorded().start();
  const warn = (reason: string, second: number) =>
    recorded.recorder.record({
      regarding: recorded.about,
      type: "Warning",
      reason,
      message: "went wrong",
      scheduledTime: second * 1_000,
    });
  for (let second = 0; second < 100; second++) warn("FailedCreate", second);
  assertEquals(recorded.dropped, { flood: 75 });
  await recorded.clock.advance(600_000);
  for (let second = 0; second < 100; second++) warn("FailedCreate", second);
  assertEquals(recorded.dropped, { flood: 75 + 98 });
  warn("UnknownTimeZone", 0);
  assertEquals(recorded.dropped, { flood: 75 + 98 });
});

test("EventRecorder drops what its buffer cannot hold", async () => {
  await using recorded = new Recorded();
  const { about, recorder } = recorded;
  for (let i = 0; i < 10_002; i++) {
    const regarding = { ...about, metadata: { ...about.metadata, uid: `${i}` } };
    recorder.record({ regarding, type: "Normal", reason: "Tested", message: "went well" });
  }
  assertEquals(recorded.dropped, { buffer_full: 2 });
});

test("EventRecorder tries again while the server cannot be reached", async () => {
  await using recorded = new Recorded().start();
  recorded.api.intercept = () => {
    throw new UnreachableError("down");
  };
  await recorded.record();
  await recorded.clock.advance(5_000);
  assertEquals(recorded.events.length, 0);
  recorded.api.intercept = undefined;
  await recorded.clock.advance(5_000);
  assertEquals([recorded.inShort, recorded.dropped], [["1 went well"], {}]);
});

test("EventRecorder drops what the server refuses, or cannot be reached for", async () => {
  await using recorded = new Recorded().start();
  recorded.api.intercept = () => {
    throw refusal(403, "Forbidden", "namespace x is being terminated");
  };
  await recorded.record();
  assertEquals([recorded.dropped, recorded.api.requests.length], [{ refused: 1 }, 1]);
  recorded.api.intercept = () => {
    throw new UnreachableError("down");
  };
  await recorded.record();
  await recorded.clock.advance(600_000);
  assertEquals([recorded.dropped, recorded.api.requests.length], [{ refused: 1, unreachable: 1 }, 13]);
});

test("EventRecorder sends what it has when it is stopped", async () => {
  await using recorded = new Recorded();
  for (let i = 0; i < 9; i++) await recorded.record({ message: `number ${i}` });
  recorded.start();
  await recorded.stop();
  assertEquals([recorded.events.length, recorded.dropped], [9, {}]);
});

test("EventRecorder does not keep the program from stopping", async () => {
  await using recorded = new Recorded().start();
  recorded.api.intercept = () => new Promise(() => {/* never */});
  for (let i = 0; i < 5; i++) await recorded.record({ message: `number ${i}` });
  const stopped = recorded.stop();
  await recorded.clock.advance(2_000);
  await stopped;
  assertEquals(recorded.dropped, { shutdown: 5 });
});

test("EventRecorder cuts names and messages that are too long", async () => {
  await using recorded = new Recorded().start();
  const metadata = { ...recorded.about.metadata, name: "n".repeat(253) };
  await recorded.record({ regarding: { ...recorded.about, metadata }, message: "m".repeat(5_000) });
  const [event] = atLeast(1, recorded.events);
  assertEquals([event.metadata.name.length <= 253, event.message?.length], [true, 1_024]);
});
