import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { SLOW_MS } from "../../src/kube/lanes/request_lanes.ts";
import { splitKey } from "../../src/kube/object.ts";
import { Turns } from "../../src/runtime/turns.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

/** So many keys of each namespace, one namespace after the other. */
function keysOf(counts: Record<string, number>): string[] {
  return Object.entries(counts).flatMap(([namespace, count]) =>
    Array.from({ length: count }, (_, i) => `${namespace}/${i}`)
  );
}

function addAll(turns: Turns, counts: Record<string, number>): void {
  for (const key of keysOf(counts)) turns.add(key);
}

/** Takes all that may be worked on, and counts it by namespace. */
function takeAll(turns: Turns, now: number): Record<string, number> {
  const taken: Record<string, number> = {};
  for (let key = turns.take(now); key !== undefined; key = turns.take(now)) {
    const { namespace = "" } = splitKey(key);
    taken[namespace] = (taken[namespace] ?? 0) + 1;
  }
  return taken;
}

const SLOW_HUNDRED = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`slow-${i}`, 50]));

interface Row {
  limit: number;
  /** Added at 0, when all are taken that may be. None of them ends. */
  first?: Record<string, number>;
  /** Added, and all taken that may be, so long afterwards. */
  then: Record<string, number>;
  afterMs?: number;
  taken: Record<string, number>;
}

table<[Row]>("Turns", [
  ["one alone has all places", { limit: 4, then: { a: 9 }, taken: { a: 4 } }],
  ["two share evenly", { limit: 4, then: { a: 9, b: 9 }, taken: { a: 2, b: 2 } }],
  ["what others need not, one may use", { limit: 6, then: { a: 9, b: 1 }, taken: { a: 5, b: 1 } }],
  ["keys without a namespace share as one", { limit: 2, then: { "": 1, a: 1 }, taken: { "": 1, a: 1 } }],
  ["the first key of another waits for nothing", { limit: 4, first: { a: 9 }, then: { b: 9 }, taken: { b: 1 } }],
  ["it waits where nothing may go on", { limit: 0, first: { a: 9 }, then: { b: 9 }, taken: {} }],
  ["what takes long leaves its places to others", {
    limit: 4,
    first: { a: 9 },
    then: { b: 9 },
    afterMs: SLOW_MS,
    taken: { b: 4 },
  }],
  ["5,000 that take long leave theirs", {
    limit: 50,
    first: { a: 5_000 },
    then: { b: 12 },
    afterMs: SLOW_MS,
    taken: { b: 12 },
  }],
  ["so do a hundred namespaces", {
    limit: 50,
    first: SLOW_HUNDRED,
    then: { b: 600 },
    afterMs: SLOW_MS,
    taken: { b: 50 },
  }],
  ["a hundred that are not known to take long hold up no first key", {
    limit: 50,
    first: SLOW_HUNDRED,
    then: { b: 600 },
    taken: { b: 1 },
  }],
], ({ limit, first = {}, then, afterMs = 0, taken }) => {
  const turns = new Turns(limit);
  addAll(turns, first);
  takeAll(turns, 0);
  addAll(turns, then);
  const now = takeAll(turns, afterMs);
  assertEquals(Object.fromEntries(Object.entries(now).filter(([namespace]) => namespace in then)), taken);
});

test("Turns lets a namespace that was slow share again once nothing of it takes long", () => {
  const turns = new Turns(2);
  addAll(turns, { a: 4 });
  takeAll(turns, 0);
  assertEquals(takeAll(turns, SLOW_MS), {});
  for (const key of ["a/0", "a/1"]) turns.done(key);
  assertEquals(takeAll(turns, SLOW_MS), { a: 2 });
  assertEquals(turns.nextChangeAt, 2 * SLOW_MS);
});

test("Turns knows of a namespace for as long as a key of it waits", () => {
  const turns = new Turns(1);
  addAll(turns, { a: 2 });
  const isKnown = () => turns.has(() => true);
  turns.take(0);
  turns.done("a/0");
  assertEquals(isKnown(), true);
  turns.take(0);
  assertEquals(isKnown(), false);
});

test("Turns works on each key once at a time, loses none, leaves no place free, and lets none have more than its share", () => {
  const key = fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(6)).map(([namespace, i]) => `${namespace}/${i}`);
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("add" as const), key }) },
    fc.record({ do: fc.constant("delete" as const), key }),
    { weight: 4, arbitrary: fc.record({ do: fc.constant("take" as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("done" as const), key }) },
    fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, SLOW_MS / 2, SLOW_MS) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 80 }), (limit, steps) => {
      const turns = new Turns(limit);
      const waiting: string[] = [];
      const working = new Map<string, number>();
      let now = 0;
      const namespaceOf = (key: string) => splitKey(key).namespace!;
      const atWork = (namespace: string) => [...working.keys()].filter((key) => namespaceOf(key) === namespace).length;
      const take = () => {
        const taken = turns.take(now);
        const inTime = [...working.values()].filter((since) => now - since < SLOW_MS).length;
        if (taken === undefined) {
          assert(waiting.length === 0 || inTime >= limit || inTime === 0 || hasSlow(), "A place is left free");
          assert(waiting.every((key) => atWork(namespaceOf(key)) > 0), "A namespace without any at work waits");
          return false;
        }
        assert(waiting.includes(taken) && !working.has(taken));
        const rivals = waiting.filter((key) => !isSlow(namespaceOf(key)));
        if (!isSlow(namespaceOf(taken))) {
          assert(rivals.every((key) => atWork(namespaceOf(key)) >= atWork(namespaceOf(taken))), "It has more already");
        }
        const oldest = waiting.find((key) => namespaceOf(key) === namespaceOf(taken));
        assertEquals(taken, oldest);
        waiting.splice(waiting.indexOf(taken), 1);
        working.set(taken, now);
        return true;
      };
      const isSlow = (namespace: string) =>
        [...working].some(([key, since]) => namespaceOf(key) === namespace && now - since >= SLOW_MS) ||
        slowSince.has(namespace);
      const hasSlow = () => waiting.some((key) => isSlow(namespaceOf(key)));
      /** Namespaces that were slow when a key of theirs began that is still worked on. */
      const slowSince = new Set<string>();
      for (const step of steps) {
        if (step.do === "add" && !waiting.includes(step.key) && !working.has(step.key)) {
          turns.add(step.key);
          waiting.push(step.key);
        }
        if (step.do === "delete") {
          assertEquals(turns.delete(step.key), waiting.includes(step.key));
          if (waiting.includes(step.key)) waiting.splice(waiting.indexOf(step.key), 1);
        }
        if (step.do === "take") take();
        if (step.do === "done") assertEquals(turns.done(step.key), working.delete(step.key));
        if (step.do === "wait") now += step.ms;
        for (const key of working.keys()) if (isSlow(namespaceOf(key))) slowSince.add(namespaceOf(key));
        for (const namespace of [...slowSince]) if (atWork(namespace) === 0) slowSince.delete(namespace);
        assertEquals([turns.size, turns.oldest], [waiting.length, waiting[0]]);
      }
      // All come out in the end.
      while (waiting.length > 0) {
        if (take()) continue;
        const [key] = working.keys();
        turns.done(key!);
        working.delete(key!);
        for (const namespace of [...slowSince]) if (atWork(namespace) === 0) slowSince.delete(namespace);
      }
    }),
    { numRuns: 500 },
  );
});
