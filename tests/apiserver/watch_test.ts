import { assert, assertEquals } from "@std/assert";
import type { Sink } from "../../src/apiserver/http/exchange.ts";
import { CONFIG_MAPS as CONFIG_MAP_KIND } from "../../src/apiserver/kinds/config_map.ts";
import { parseListOptions } from "../../src/apiserver/reading/list_options.ts";
import { Database } from "../../src/apiserver/storage/database.ts";
import { Storage } from "../../src/apiserver/storage/storage.ts";
import { WatchHub } from "../../src/apiserver/watch/watch_hub.ts";
import { MAX_WAITING_BYTES } from "../../src/apiserver/watch/watcher.ts";
import { must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

/** A client that takes nothing until the test lets it. */
class StubbornSink implements Sink {
  readonly frames: { type: string; object: Record<string, unknown> }[] = [];
  readonly chunks: (Uint8Array | string)[] = [];
  waitingBytes = 0;
  ended = false;
  destroyed = false;
  #close = () => {};

  write(chunk: Uint8Array | string): void {
    this.chunks.push(chunk);
    this.waitingBytes += chunk.length;
    const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    this.frames.push(JSON.parse(text));
  }
  end(): void {
    this.ended = true;
  }
  destroy(): void {
    this.destroyed = true;
    this.#close();
  }
  onClose(callback: () => void): void {
    this.#close = callback;
  }
  onDrain(): void {}
}

function openWatch(hub: WatchHub, sink: Sink, query: string): void {
  const options = parseListOptions(new URLSearchParams(query), CONFIG_MAP_KIND);
  const { labels, fields } = options;
  hub.open(
    { resource: CONFIG_MAP_KIND.storage, namespace: "default", labels, fields },
    { kind: CONFIG_MAP_KIND, view: { encoding: "json", as: undefined }, includeObject: "Metadata" },
    options,
    sink,
  );
}

async function withHub(
  body: (
    parts: { storage: Storage; hub: WatchHub; clock: FakeClock; put: (name: string, text?: string) => Promise<void> },
  ) => Promise<void>,
): Promise<void> {
  const clock = new FakeClock();
  const storage = new Storage(new Database(":memory:"), clock);
  const hub = new WatchHub(storage, clock);
  const put = async (name: string, text = "") => {
    await storage.write((tx) => {
      tx.put(CONFIG_MAP_KIND.storage, {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { name, namespace: "default", uid: name },
        data: { text },
      });
    });
  };
  await body({ storage, hub, clock, put });
  hub.close();
  storage.close();
}

test("one event is written out once, however many watch", async () => {
  await withHub(async ({ storage, hub, put }) => {
    const sinks = Array.from({ length: 100 }, () => new StubbornSink());
    for (const sink of sinks) openWatch(hub, sink, `watch=1&resourceVersion=${storage.lastVersion}`);
    await put("a");
    assertEquals(sinks.map(({ chunks }) => chunks.length), sinks.map(() => 1));
    for (const { chunks } of sinks) assert(chunks[0] === must(sinks[0]).chunks[0], "The bytes must be the very same");
  });
});

test("a watcher that takes nothing gets 410 and is cut off; others go on", async () => {
  await withHub(async ({ storage, hub, clock, put }) => {
    const slow = new StubbornSink();
    const quick = new StubbornSink();
    for (const sink of [slow, quick]) openWatch(hub, sink, `watch=1&resourceVersion=${storage.lastVersion}`);
    const text = "x".repeat(1024 * 1024);
    for (let index = 0; index < 6; index++) {
      await put(`a${index}`, text);
      quick.waitingBytes = 0;
    }
    assert(slow.ended);
    const last = must(slow.frames.at(-1));
    assertEquals([last.type, last.object.code, last.object.reason], ["ERROR", 410, "Expired"]);
    assert(slow.waitingBytes < MAX_WAITING_BYTES + 2 * 1024 * 1024);
    assertEquals(quick.frames.length, 6);
    assertEquals(slow.destroyed, false);
    await clock.advance(10_000);
    assertEquals(slow.destroyed, true);
  });
});

test("a watcher that asks for bookmarks gets one a minute, and one at the end", async () => {
  await withHub(async ({ storage, hub, clock, put }) => {
    const sink = new StubbornSink();
    openWatch(hub, sink, `watch=1&allowWatchBookmarks=true&timeoutSeconds=150&resourceVersion=${storage.lastVersion}`);
    await clock.advance(60_000);
    await put("a");
    await clock.advance(60_000);
    await clock.advance(60_000);
    assertEquals(sink.frames.map(({ type }) => type), ["BOOKMARK", "ADDED", "BOOKMARK", "BOOKMARK"]);
    assertEquals(sink.ended, true);
  });
});

test("a watch from before what is kept has to list again", async () => {
  await withHub(async ({ storage, hub, put }) => {
    await put("a");
    await put("b");
    storage.compact(storage.lastVersion);
    const sink = new StubbornSink();
    openWatch(hub, sink, `watch=1&resourceVersion=${storage.lastVersion - 1}`);
    assertEquals(sink.frames.map(({ type, object }) => [type, object.code]), [["ERROR", 410]]);
    assertEquals(sink.ended, true);
    const next = new StubbornSink();
    openWatch(hub, next, `watch=1&resourceVersion=${storage.lastVersion}`);
    await put("c");
    assertEquals(next.frames.map(({ type }) => type), ["ADDED"]);
  });
});

test("a watch that resumes gets all that it missed, however much that is", async () => {
  await withHub(async ({ storage, hub, put }) => {
    const { lastVersion } = storage;
    const text = "x".repeat(1024 * 1024);
    for (let index = 0; index < 6; index++) await put(`a${index}`, text);
    const sink = new StubbornSink();
    openWatch(hub, sink, `watch=1&resourceVersion=${lastVersion}`);
    await put("b");
    assertEquals(sink.frames.map(({ type }) => type), Array(7).fill("ADDED"));
    assertEquals(sink.ended, false);
  });
});
