import { assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import type { ObjectList, WatchEvent } from "../../src/kube/client.ts";
import type { Job } from "../../src/kube/resource.ts";
import { afterError, type Source, type State, step, type Stream } from "../../src/runtime/watch_step.ts";
import { test } from "../support/test.ts";
import { storedJob } from "./support/jobs.ts";

const SIGNAL = new AbortController().signal;
const EXPIRED = new ApiError("too old", { code: 410, reason: "Expired" });
const REFUSED = new ApiError("no", { code: 403, reason: "Forbidden" });
const CUT_OFF = new TypeError("cut off");

/** A watch since 0 that delivers these events, and then ends. */
function streamOf(...events: WatchEvent<Job>[]): Stream<Job> {
  return { events: asyncOf(events), end: new AbortController(), startedAt: 0, isOpen: true };
}

async function* asyncOf<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

function sourceOf(
  { list, stream, version = "", now = 0 }: {
    list?: ObjectList<Job>;
    stream?: Stream<Job>;
    version?: string;
    now?: number;
  },
): Source<Job> {
  return {
    clock: { monotonic: () => now },
    list: () => list ? Promise.resolve(list) : Promise.reject(REFUSED),
    version: () => Promise.resolve(version),
    open: () => stream!,
  };
}

function watching(stream: Stream<Job>, isNew = true): State<Job> {
  return { name: "watching", resourceVersion: "5", stream, isNew };
}

test("step() begins with a list, and goes through its pages to a watch from its version on", async () => {
  const page = { items: [storedJob("x/a", "4")], metadata: { resourceVersion: "5" } };
  const stream = streamOf();
  assertEquals(step(sourceOf({}), { name: "empty" }, SIGNAL), {
    next: { name: "listing", continueToken: undefined },
    event: { type: "Init" },
  });
  const more = { ...page, metadata: { ...page.metadata, continue: "x" } };
  assertEquals(await step(sourceOf({ list: more }), { name: "listing", continueToken: undefined }, SIGNAL), {
    next: { name: "listing", continueToken: "x" },
    event: { type: "InitPage", objects: page.items },
  });
  assertEquals(await step(sourceOf({ list: page }), { name: "listing", continueToken: "x" }, SIGNAL), {
    next: { name: "listed", resourceVersion: "5" },
    event: { type: "InitPage", objects: page.items },
  });
  assertEquals(step(sourceOf({}), { name: "listed", resourceVersion: "5" }, SIGNAL), {
    next: { name: "idle", resourceVersion: "5" },
    event: { type: "InitDone" },
  });
  assertEquals(step(sourceOf({ stream }), { name: "idle", resourceVersion: "5" }, SIGNAL), { next: watching(stream) });
});

test("step() takes each event of a watch with its version, and a bookmark without an event", async () => {
  const object = storedJob("x/a", "7");
  for (
    const [type, event] of [
      ["ADDED", { type: "Apply", object }],
      ["MODIFIED", { type: "Apply", object }],
      ["DELETED", { type: "Delete", object }],
      ["BOOKMARK", undefined],
    ] as const
  ) {
    const stream = streamOf({ type, object });
    const next = { name: "watching", resourceVersion: "7", stream, isNew: false } as const;
    assertEquals(await step(sourceOf({}), watching(stream), SIGNAL), event ? { next, event } : { next }, type);
  }
});

test("step() goes back to its version when a watch ends, and waits after a short one without an event", async () => {
  for (const [now, isNew, pause] of [[999, true, true], [1_000, true, false], [999, false, false]] as const) {
    assertEquals(await step(sourceOf({ now }), watching(streamOf(), isNew), SIGNAL), {
      next: { name: "ended", resourceVersion: "5" },
      pause,
    });
  }
});

test("step() lists anew after a watch of a server that has come to be older than it, and else watches on", async () => {
  const ended = { name: "ended", resourceVersion: "10" } as const;
  const idle = { name: "idle", resourceVersion: "10" } as const;
  for (const [version, next] of [["9", { name: "empty" }], ["10", idle], ["100", idle], ["x9", idle]] as const) {
    assertEquals(await step(sourceOf({ version }), ended, SIGNAL), { next }, version);
  }
});

test("afterError() lists anew where a version or a page was refused, and goes on everywhere else", async () => {
  await assertRejects(async () => await step(sourceOf({}), { name: "listing", continueToken: undefined }, SIGNAL));
  const listing = { name: "listing", continueToken: "x" } as const;
  const idle = { name: "idle", resourceVersion: "5" } as const;
  const ended = { name: "ended", resourceVersion: "5" } as const;
  const rows: [State<Job>, unknown, State<Job>][] = [
    [{ name: "empty" }, CUT_OFF, { name: "empty" }],
    [listing, CUT_OFF, listing],
    [listing, REFUSED, { name: "empty" }],
    [idle, REFUSED, idle],
    [ended, CUT_OFF, ended],
    [ended, REFUSED, idle],
    [watching(streamOf()), CUT_OFF, ended],
    [watching(streamOf()), REFUSED, ended],
    [watching(streamOf()), EXPIRED, { name: "empty" }],
  ];
  for (const [state, error, next] of rows) assertEquals(afterError(state, error), next, `${state.name}: ${error}`);
});
