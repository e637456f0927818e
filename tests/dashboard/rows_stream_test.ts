import { assertEquals } from "@std/assert";
import type { RowListener } from "../../src/dashboard/rows/row_feed.ts";
import { rowsMessages, type RowSource } from "../../src/dashboard/rows/rows_stream.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

/** Rows that a test puts there. */
class FakeRows implements RowSource {
  readonly rows = new Map<string, string>();
  readonly isThere = Promise.withResolvers<void>();
  error: unknown;
  headlines: readonly string[] = [];
  #listener: RowListener = () => {};

  ready(): Promise<void> {
    return this.isThere.promise;
  }

  listen(listener: RowListener): Disposable {
    this.#listener = listener;
    return { [Symbol.dispose]: () => {} };
  }

  get ids(): string[] {
    return [...this.rows.keys()];
  }

  json(id: string): string | undefined {
    return this.rows.get(id);
  }

  /** Puts a row there, or takes it away, and says so. */
  set(id: string, text: string | undefined): void {
    if (text === undefined) this.rows.delete(id);
    else this.rows.set(id, JSON.stringify(text));
    this.#listener([id]);
  }
}

/** The messages that come while a test goes on, without what time it is. */
function listenTo(source: RowSource, clock: FakeClock) {
  const over = new AbortController();
  const heard: unknown[] = [];
  const ended = (async () => {
    for await (const line of rowsMessages(source, clock, over.signal)) {
      const { now: _, ...message } = JSON.parse(line);
      heard.push(message);
    }
  })();
  return {
    heard: () => heard.splice(0),
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await ended;
    },
  };
}

test("a page waits for all rows, however many of them are there before", async () => {
  const [source, clock] = [new FakeRows(), new FakeClock()];
  await using page = listenTo(source, clock);
  source.set("a", "early");
  await clock.advance(5_000);
  assertEquals(page.heard(), [{ kind: "beat" }]);
  // It takes the server for gone where it hears nothing for 25 seconds.
  await clock.advance(20_000);
  assertEquals(page.heard(), [{ kind: "beat" }, { kind: "beat" }]);
  source.isThere.resolve();
  await clock.advance(0);
  assertEquals(page.heard(), [{ kind: "start", total: 1 }, { kind: "rows", rows: ["early"] }, { kind: "ready" }]);
});

test("a page hears what is to be read before all rows once it has begun anew with them", async () => {
  const [source, clock] = [new FakeRows(), new FakeClock()];
  source.headlines = ["No controller leads"];
  source.isThere.resolve();
  await using page = listenTo(source, clock);
  await clock.advance(0);
  assertEquals(page.heard(), [
    { kind: "beat" },
    { kind: "start", total: 0 },
    { kind: "headlines", lines: ["No controller leads"] },
    { kind: "ready" },
  ]);
});

test("a page that waits for all rows hears what is to be read before them with them, and not earlier", async () => {
  const [source, clock] = [new FakeRows(), new FakeClock()];
  source.headlines = ["No controller leads"];
  await using page = listenTo(source, clock);
  await clock.advance(1_000);
  assertEquals(page.heard(), [{ kind: "beat" }]);
  source.isThere.resolve();
  await clock.advance(0);
  assertEquals(page.heard(), [
    { kind: "start", total: 0 },
    { kind: "headlines", lines: ["No controller leads"] },
    { kind: "ready" },
  ]);
});

test("a page that waits for all rows hears of trouble, and of no recovery before they are there", async () => {
  const [source, clock] = [new FakeRows(), new FakeClock()];
  const forbidden = new ApiError("Cannot list jobs: it is forbidden", { code: 403, reason: "Forbidden" });
  const trouble = { kind: "trouble", reason: "Forbidden", message: forbidden.message };
  await using page = listenTo(source, clock);
  source.error = forbidden;
  await clock.advance(1_000);
  assertEquals(page.heard(), [{ kind: "beat" }, trouble]);
  source.error = undefined;
  await clock.advance(1_000);
  assertEquals(page.heard(), []);
  source.error = forbidden;
  source.isThere.resolve();
  await clock.advance(0);
  assertEquals(page.heard(), [{ kind: "start", total: 0 }, { kind: "ready" }, trouble]);
});

test("a page hears the last of what became of a row, and a beat where nothing does", async () => {
  const [source, clock] = [new FakeRows(), new FakeClock()];
  source.isThere.resolve();
  await using page = listenTo(source, clock);
  await clock.advance(0);
  page.heard();
  source.set("a", "first");
  source.set("a", "second");
  source.set("b", "gone soon");
  source.set("b", undefined);
  await clock.advance(0);
  assertEquals(page.heard(), [{ kind: "rows", rows: ["second"] }, { kind: "gone", ids: ["b"] }]);
  await clock.advance(9_000);
  assertEquals(page.heard(), []);
  await clock.advance(2_000);
  assertEquals(page.heard(), [{ kind: "beat" }]);
});

test("a page hears what keeps rows from being newest, once, and when that is over", async () => {
  const [source, clock] = [new FakeRows(), new FakeClock()];
  source.isThere.resolve();
  await using page = listenTo(source, clock);
  await clock.advance(0);
  page.heard();
  source.error = new ApiError("Cannot list jobs: it is forbidden", { code: 403, reason: "Forbidden" });
  await clock.advance(3_000);
  assertEquals(page.heard(), [
    { kind: "trouble", reason: "Forbidden", message: "Cannot list jobs: it is forbidden" },
  ]);
  source.error = undefined;
  await clock.advance(1_000);
  assertEquals(page.heard(), [{ kind: "ready" }]);
});
