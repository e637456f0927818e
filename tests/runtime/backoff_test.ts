import { assertEquals } from "@std/assert";
import { Backoff } from "../../src/runtime/backoff.ts";
import { test } from "../support/test.ts";

test("Backoff doubles up to its limit, and begins anew after a success", () => {
  const backoff = new Backoff({ initialMs: 100, maxMs: 1_000, random: () => 0 });
  assertEquals([1, 2, 3, 4, 5, 6].map(() => backoff.next()), [100, 200, 400, 800, 1_000, 1_000]);
  assertEquals(backoff.failures(), 6);
  backoff.reset();
  assertEquals([backoff.failures(), backoff.next()], [0, 100]);
});

test("Backoff stays at its limit after thousands of failures", () => {
  const backoff = new Backoff({ random: () => 0 });
  for (let i = 0; i < 5_000; i++) backoff.next();
  assertEquals(backoff.next(), 60_000);
});

test("Backoff lengthens each delay by a random share", () => {
  const shares = [0, 0.5, 0.999];
  const backoff = new Backoff({ initialMs: 100, maxMs: 100, random: () => shares.shift()! });
  assertEquals([1, 2, 3].map(() => Math.round(backoff.next())), [100, 110, 120]);
});

test("Backoff counts each key's failures apart, and forgets", () => {
  const backoff = new Backoff<string>({ initialMs: 100, random: () => 0 });
  assertEquals([backoff.next("a"), backoff.next("a"), backoff.next("b")], [100, 200, 100]);
  backoff.reset("a");
  assertEquals([backoff.failures("a"), backoff.next("a"), backoff.failures("b")], [0, 100, 1]);
});
