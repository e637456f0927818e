import { assertEquals } from "@std/assert";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { JOBS } from "../../src/kube/resource.ts";
import type { Job } from "../../src/kube/resource.ts";
import type { WatcherEvent } from "../../src/runtime/watch_step.ts";
import { Watcher, type WatcherOptions } from "../../src/runtime/watcher.ts";
import { must } from "../support/expected.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { FakeApi, refusal } from "./support/fake_api.ts";
import { job } from "./support/jobs.ts";

/** A watcher at work, and what it reports, in short. */
class Watched implements AsyncDisposable {
  readonly api = new FakeApi();
  readonly clock = new FakeClock();
  readonly told: string[] = [];
  readonly watcher: Watcher<Job>;
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;

  constructor(options: Partial<WatcherOptions<Job>> = {}) {
    this.watcher = new Watcher({ client: this.api, resource: JOBS, clock: this.clock, random: () => 0, ...options });
  }

  async start(): Promise<void> {
    this.#ended = (async () => {
      for await (const event of this.watcher.events(this.#stop.signal)) this.told.push(inShort(event));
    })();
    await settle();
  }

  /** What was reported since the last call. */
  take(): string[] {
    return this.told.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    assertEquals(this.clock.pending, 0);
  }
}

function inShort(event: WatcherEvent<Job>): string {
  switch (event.type) {
    case "InitPage":
      return `InitPage ${event.objects.map(({ metadata }) => metadata.name).join(",")}`.trim();
    case "Apply":
    case "Delete":
      return `${event.type} ${event.object.metadata.name}`;
    case "Error":
      return `Error ${(event.error as Error).message}`;
    default:
      return event.type;
  }
}

test("Watcher lists page by page, then delivers what changes", async () => {
  await using watched = new Watched({ pageSize: 2 });
  for (const name of ["a", "b", "c"]) watched.api.put(JOBS, job(`x/${name}`));
  await watched.start();
  assertEquals(watched.take(), ["Init", "InitPage a,b", "InitPage c", "InitDone"]);
  assertEquals(watched.watcher.connected, true);
  watched.api.put(JOBS, job("x/d"));
  watched.api.put(JOBS, job("x/a"));
  watched.api.remove(JOBS, { namespace: "x", name: "b" });
  await settle();
  assertEquals(watched.take(), ["Apply d", "Apply a", "Delete b"]);
});

test("Watcher goes on from the last version when the server ends the watch", async () => {
  await using watched = new Watched();
  await watched.start();
  watched.api.put(JOBS, job("x/a"));
  await settle();
  watched.take();
  watched.api.endWatches();
  watched.api.put(JOBS, job("x/b"));
  await settle();
  assertEquals(watched.take(), ["Apply b"]);
  assertEquals(watched.api.requests, ["list jobs", "watch jobs 100", "list jobs", "watch jobs 101"]);
});

test("Watcher goes on from the last bookmark, which it keeps to itself", async () => {
  await using watched = new Watched();
  await watched.start();
  watched.api.bookmark(JOBS);
  await settle();
  watched.api.endWatches();
  await settle();
  assertEquals(watched.take(), ["Init", "InitPage", "InitDone"]);
  assertEquals(watched.api.requests.at(-1), "watch jobs 101");
});

test("Watcher waits after a watch that ended at once, as after a failure", async () => {
  await using watched = new Watched();
  const watches = () => watched.api.requests.filter((request) => request.startsWith("watch")).length;
  await watched.start();
  watched.api.endWatches();
  await settle();
  assertEquals(watches(), 1);
  assertEquals(watched.watcher.connected, false);
  await watched.clock.advance(800);
  assertEquals(watches(), 2);
  watched.api.endWatches();
  await watched.clock.advance(1_599);
  assertEquals(watches(), 2);
  await watched.clock.advance(1);
  assertEquals(watches(), 3);
});

test("Watcher reports a broken watch, waits, and goes on from the last version", async () => {
  await using watched = new Watched();
  await watched.start();
  watched.take();
  watched.api.endWatches(new UnreachableError("torn"));
  await settle();
  assertEquals(watched.take(), ["Error torn"]);
  watched.api.put(JOBS, job("x/a"));
  await watched.clock.advance(800);
  assertEquals(watched.take(), ["Apply a"]);
});

test("Watcher lists again when its version is forgotten", async () => {
  await using watched = new Watched();
  watched.api.put(JOBS, job("x/a"));
  await watched.start();
  watched.take();
  watched.api.endWatches(new UnreachableError("torn"));
  await settle();
  watched.api.remove(JOBS, { namespace: "x", name: "a" });
  watched.api.put(JOBS, job("x/b"));
  watched.api.compact();
  await watched.clock.advance(800);
  assertEquals(watched.take(), ["Error torn", "Error too old resource version: 101"]);
  await watched.clock.advance(1_600);
  assertEquals(watched.take(), ["Init", "InitPage b", "InitDone"]);
});

test("Watcher begins a list anew when the server forgot where its pages began", async () => {
  await using watched = new Watched({ pageSize: 1 });
  for (const name of ["a", "b"]) watched.api.put(JOBS, job(`x/${name}`));
  watched.api.intercept = (_verb, _resource, token) => {
    if (token === "") return;
    watched.api.intercept = undefined;
    watched.api.remove(JOBS, { namespace: "x", name: "a" });
    watched.api.compact();
  };
  await watched.start();
  assertEquals(watched.take(), ["Init", "InitPage a", "Error The provided continue parameter is too old"]);
  await watched.clock.advance(800);
  assertEquals(watched.take(), ["Init", "InitPage b", "InitDone"]);
});

test("Watcher asks again for a page that it could not fetch", async () => {
  await using watched = new Watched({ pageSize: 1 });
  for (const name of ["a", "b"]) watched.api.put(JOBS, job(`x/${name}`));
  watched.api.intercept = (_verb, _resource, token) => {
    if (token === "") return;
    watched.api.intercept = undefined;
    throw new UnreachableError("torn");
  };
  await watched.start();
  assertEquals(watched.take(), ["Init", "InitPage a", "Error torn"]);
  await watched.clock.advance(800);
  assertEquals(watched.take(), ["InitPage b", "InitDone"]);
});

test("Watcher waits longer after each failure in a row, up to a limit, and begins anew after news", async () => {
  await using watched = new Watched();
  const times: number[] = [];
  watched.api.intercept = () => {
    times.push(watched.clock.monotonic());
    throw new UnreachableError("down");
  };
  await watched.start();
  await watched.clock.advance(120_000);
  const waits = times.slice(1).map((time, index) => time - must(times[index]));
  assertEquals(waits.slice(0, 7), [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]);
  watched.api.intercept = undefined;
  await watched.clock.advance(30_000);
  watched.api.put(JOBS, job("x/a"));
  await settle();
  watched.take();
  watched.api.endWatches(new UnreachableError("torn"));
  watched.api.put(JOBS, job("x/b"));
  await watched.clock.advance(800);
  assertEquals(watched.take(), ["Error torn", "Apply b"]);
});

test("Watcher waits as long as the server asks", async () => {
  await using watched = new Watched();
  watched.api.intercept = () => {
    watched.api.intercept = undefined;
    throw refusal(503, "ServiceUnavailable", "starting", 10_000);
  };
  await watched.start();
  await watched.clock.advance(9_999);
  assertEquals(watched.take(), ["Init", "Error starting"]);
  await watched.clock.advance(1);
  assertEquals(watched.take(), ["Init", "InitPage", "InitDone"]);
});

test("Watcher ends at once while it waits, while it lists, and while it watches", async () => {
  for (const moment of ["waiting", "listing", "watching"]) {
    await using watched = new Watched();
    watched.api.intercept = (verb) => {
      if (moment === "waiting") throw new UnreachableError("down");
      if (moment === "listing" && verb === "list") return new Promise(() => {/* never */});
    };
    await watched.start();
  }
});

test("Watcher lists again at once when it is asked to, whatever it is doing", async () => {
  for (const moment of ["waiting", "listing", "watching"]) {
    await using watched = new Watched();
    watched.api.put(JOBS, job("x/a"));
    watched.api.intercept = (verb) => {
      if (moment === "waiting") throw new UnreachableError("down");
      if (moment === "listing" && verb === "list") return new Promise(() => {/* never */});
    };
    await watched.start();
    watched.take();
    watched.api.intercept = undefined;
    watched.watcher.relist();
    await settle();
    assertEquals(watched.take(), ["Init", "InitPage a", "InitDone"], moment);
    watched.api.put(JOBS, job("x/b"));
    await settle();
    assertEquals([watched.take(), watched.watcher.connected], [["Apply b"], true], moment);
  }
});
