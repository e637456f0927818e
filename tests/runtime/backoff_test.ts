import { assertEquals, assertThrows } from "@std/assert";
import { Backoff, KeyedBackoff } from "../../src/runtime/backoff.ts";
import { test } from "../support/test.ts";

test("Backoff doubles up to its limit, and begins anew after a success", () => {
  const backoff = new Backoff({ initialMs: 100, maxMs: 1_000, jitter: 0 });
  assertEquals([1, 2, 3, 4, 5, 6].map(() => backoff.next()), [100, 200, 400, 800, 1_000, 1_000]);
  assertEquals(backoff.failures, 6);
  backoff.reset();
  assertEquals([backoff.failures, backoff.next()], [0, 100]);
});

test("Backoff stays at its limit after thousands of failures", () => {
  const backoff = new Backoff({ jitter: 0 });
  for (let i = 0; i < 5_000; i++) backoff.next();
  assertEquals(backoff.next(), 60_000);
});

test("Backoff lengthens each delay by a random share", () => {
  const shares = [0, 0.5, 0.999];
  const backoff = new Backoff({ initialMs: 100, factor: 1, jitter: 0.2, random: () => shares.shift()! });
  assertEquals([1, 2, 3].map(() => Math.round(backoff.next())), [100, 110, 120]);
});

test("KeyedBackoff counts each key's failures apart, and forgets", () => {
  const backoff = new KeyedBackoff<string>({ initialMs: 100, jitter: 0 });
  assertEquals([backoff.next("a"), backoff.next("a"), backoff.next("b")], [100, 200, 100]);
  backoff.forget("a");
  assertEquals([backoff.failures("a"), backoff.next("a"), backoff.failures("b")], [0, 100, 1]);
});

test("Backoff refuses options that make no sense, naming them", () => {
  assertThrows(() => new Backoff({ initialMs: 0 }), RangeError, "'initialMs' must be above 0, current value is 0");
  assertThrows(() => new Backoff({ initialMs: 10, maxMs: 5 }), RangeError, "'maxMs' must be at least 'initialMs'");
  assertThrows(() => new Backoff({ factor: 0.5 }), RangeError, "'factor' must be at least 1");
  assertThrows(() => new Backoff({ jitter: 2 }), RangeError, "'jitter' must be between 0 and 1");
  assertThrows(() => new KeyedBackoff({ maxMs: NaN }), RangeError, "'maxMs'");
});
