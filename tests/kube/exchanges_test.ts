import { assertEquals } from "@std/assert";
import type { Pool } from "../../src/kube/transport/connections.ts";
import { type Exchange, Exchanges, type ExchangesOptions } from "../../src/kube/transport/exchanges.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

const POOL = {} as Pool;
const SECOND = 1_000;

/** Exchanges under a clock that the test moves, and what they asked for. */
class Tried implements Disposable {
  readonly clock = new FakeClock();
  readonly asked: string[] = [];
  readonly exchanges: Exchanges;
  readonly #closed = new AbortController();

  constructor(options: Partial<ExchangesOptions> = {}) {
    this.exchanges = new Exchanges({
      clock: this.clock,
      closed: this.#closed.signal,
      timeoutMs: 30 * SECOND,
      watchIdleMs: 150 * SECOND,
      probe: () => Promise.resolve(void this.asked.push("probe")),
      abandon: () => this.asked.push("abandon"),
      ...options,
    });
  }

  /** A watch whose answer has begun. */
  watch(): Exchange {
    const stream = this.exchanges.stream(POOL, undefined);
    this.exchanges.touch(stream);
    return stream;
  }

  [Symbol.dispose](): void {
    this.#closed.abort();
  }
}

test("Exchanges let requests of one second and one caller end together, and others apart", async () => {
  using tried = new Tried();
  const { exchanges, clock } = tried;
  const caller = new AbortController();
  const first = exchanges.join(POOL, caller.signal);
  const second = exchanges.join(POOL, caller.signal);
  const other = exchanges.join(POOL, undefined);
  await clock.advance(SECOND);
  const later = exchanges.join(POOL, caller.signal);
  assertEquals([second === first, other === first, later === first], [true, false, false]);
  caller.abort(new Error("enough"));
  assertEquals([first, later, other].map(({ signal }) => signal.aborted), [true, true, false]);
});

test("Exchanges end what waits for an answer, though the answer never notices", async () => {
  using tried = new Tried();
  const { exchanges } = tried;
  const caller = new AbortController();
  const request = exchanges.join(POOL, caller.signal);
  const parts = [request.until(Promise.resolve("read")), request.until(new Promise<string>(() => {}))];
  caller.abort("enough");
  parts.push(request.until(Promise.resolve("too late")));
  assertEquals((await Promise.allSettled(parts)).map(({ status }) => status), ["rejected", "rejected", "rejected"]);
  const answered = exchanges.join(POOL, undefined);
  assertEquals(await answered.until(Promise.resolve("read")), "read");
  answered.abort("over");
});

test("Exchanges end a request that has no answer in time, and not the one that began with it and is over", async () => {
  using tried = new Tried();
  const { exchanges, clock } = tried;
  const request = exchanges.join(POOL, undefined);
  await clock.advance(SECOND / 2);
  exchanges.leave(exchanges.join(POOL, undefined));
  await clock.advance(30 * SECOND);
  assertEquals(request.end, undefined);
  await clock.advance(SECOND);
  assertEquals([request.end, tried.asked], ["timed out", ["abandon"]]);
  exchanges.leave(request);
  const done = exchanges.join(POOL, undefined);
  exchanges.leave(done);
  await clock.advance(60 * SECOND);
  assertEquals([done.signal.aborted, clock.pending], [false, 0]);
});

test("Exchanges abandon the watches that were silent while a request got no answer, and no other", async () => {
  using tried = new Tried();
  const { exchanges, clock } = tried;
  const quiet = tried.watch();
  const busy = tried.watch();
  await clock.advance(SECOND);
  exchanges.join(POOL, undefined);
  await clock.advance(20 * SECOND);
  exchanges.touch(busy);
  await clock.advance(11 * SECOND);
  assertEquals([quiet.end, busy.end, tried.asked], ["abandoned", undefined, ["probe", "abandon"]]);
});

test("Exchanges take a request for unanswered whose caller ends it after seconds, and for nothing one that was just sent", async () => {
  for (const [afterMs, asked] of [[4 * SECOND, []], [6 * SECOND, ["abandon"]]] as const) {
    using tried = new Tried();
    const caller = new AbortController();
    tried.exchanges.join(POOL, caller.signal);
    await tried.clock.advance(afterMs);
    caller.abort();
    assertEquals(tried.asked, [...asked]);
  }
});

test("Exchanges do not take the end of a watch by its caller for a bad sign", async () => {
  using tried = new Tried();
  const caller = new AbortController();
  tried.exchanges.touch(tried.exchanges.stream(POOL, caller.signal));
  await tried.clock.advance(20 * SECOND);
  caller.abort();
  assertEquals(tried.asked, []);
});

test("Exchanges probe a silence of 30 seconds, twice a minute at most, and never while something answers", async () => {
  using tried = new Tried();
  const { exchanges, clock } = tried;
  const watch = tried.watch();
  await clock.advance(29 * SECOND);
  exchanges.answered();
  await clock.advance(29 * SECOND);
  assertEquals(tried.asked, []);
  await clock.advance(SECOND);
  assertEquals(tried.asked, ["probe"]);
  // As if nothing had answered even that, or failed at once.
  await clock.advance(60 * SECOND);
  assertEquals([tried.asked, watch.end], [["probe", "probe", "probe"], undefined]);
});

test("Exchanges abandon a silent watch 45 seconds after the break at the latest, when the probe has no answer", async () => {
  const tried: Tried = new Tried({
    probe: (signal) =>
      new Promise((_, reject) => {
        const request = tried.exchanges.join(POOL, signal);
        request.signal.addEventListener("abort", () => {
          tried.exchanges.leave(request);
          reject(request.signal.reason);
        });
      }),
  });
  using _ = tried;
  const watch = tried.watch();
  await tried.clock.advance(39 * SECOND);
  assertEquals(watch.end, undefined);
  await tried.clock.advance(6 * SECOND);
  assertEquals([watch.end, tried.asked], ["abandoned", ["abandon"]]);
});

test("Exchanges end a watch that stays silent for too long although all else answers", async () => {
  using tried = new Tried({ watchIdleMs: 60 * SECOND });
  const watch = tried.watch();
  for (let seconds = 0; seconds < 60; seconds += 10) {
    assertEquals(watch.end, undefined);
    await tried.clock.advance(10 * SECOND);
    tried.exchanges.answered();
  }
  assertEquals([watch.end, tried.asked], ["timed out", []]);
});
