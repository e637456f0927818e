import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { keyOf } from "../../src/kube/object.ts";
import type { Job } from "../../src/kube/resource.ts";
import { type Change, ObjectStore } from "../../src/runtime/store.ts";
import type { WatcherEvent } from "../../src/runtime/watch_step.ts";
import { test } from "../support/test.ts";
import { storedJob } from "./support/jobs.ts";

const inShort = (changes: Change<Job>[]) =>
  changes.map(({ type, object, previous }) =>
    [type, object.metadata.name, object.metadata.resourceVersion, previous?.metadata.resourceVersion ?? ""].join(" ")
      .trim()
  );

function listed(...objects: Job[]): WatcherEvent<Job>[] {
  return [{ type: "Init" }, { type: "InitPage", objects }, { type: "InitDone" }];
}

test("StoreWriter returns what each event changes, with what was there before", () => {
  const store = new ObjectStore<Job>();
  const writer = store.writer();
  const apply = (...events: WatcherEvent<Job>[]) => inShort(events.flatMap((event) => writer.apply(event)));
  assertEquals(apply(...listed(storedJob("x/a", "1"))), ["added a 1"]);
  assertEquals(apply({ type: "Apply", object: storedJob("x/a", "2") }), ["modified a 2 1"]);
  assertEquals(apply({ type: "Apply", object: storedJob("x/a", "2") }), []);
  assertEquals(apply({ type: "Delete", object: storedJob("x/a", "3") }), ["deleted a 3"]);
  assertEquals(apply({ type: "Delete", object: storedJob("x/a", "3") }), []);
  assertEquals(apply({ type: "Error", error: new Error() }), []);
});

test("StoreWriter swaps a list in whole, and reports what vanished with its last known state", () => {
  const store = new ObjectStore<Job>();
  const writer = store.writer();
  for (const event of listed(storedJob("x/a", "1"), storedJob("x/b", "2"))) writer.apply(event);
  writer.apply({ type: "Init" });
  writer.apply({ type: "InitPage", objects: [storedJob("x/b", "3")] });
  assertEquals(store.size, 2);
  writer.apply({ type: "InitPage", objects: [storedJob("x/c", "4")] });
  assertEquals(store.get("x/c"), undefined);
  assertEquals(inShort(writer.apply({ type: "InitDone" })), ["deleted a 1", "modified b 3 2", "added c 4"]);
});

test("StoreWriter forgets a list that begins anew", () => {
  const store = new ObjectStore<Job>();
  const writer = store.writer();
  writer.apply({ type: "Init" });
  writer.apply({ type: "InitPage", objects: [storedJob("x/a", "1")] });
  for (const event of listed(storedJob("x/b", "2"))) writer.apply(event);
  assertEquals([...store.values()].map(keyOf), ["x/b"]);
});

test("StoreWriter returns an object that was made again under its old name as two", () => {
  const store = new ObjectStore<Job>();
  const writer = store.writer();
  for (const event of listed(storedJob("x/a", "1", "old"))) writer.apply(event);
  const changes = listed(storedJob("x/a", "5", "new")).flatMap((event) => writer.apply(event));
  assertEquals(inShort(changes), ["deleted a 1", "added a 5"]);
});

test("ObjectStore is ready once each of its writers has a first list, and they leave each other's objects alone", async () => {
  const store = new ObjectStore<Job>();
  const [x, y] = [store.writer(), store.writer()];
  let ready = false;
  store.ready().then(() => ready = true);
  for (const event of listed(storedJob("x/a", "1"))) x.apply(event);
  await Promise.resolve();
  assertEquals([ready, store.isReady], [false, false]);
  for (const event of listed(storedJob("y/a", "2"))) y.apply(event);
  await store.ready();
  assertEquals([ready, store.isReady], [true, true]);
  for (const event of listed()) x.apply(event);
  assertEquals([...store.values()].map(keyOf), ["y/a"]);
});

test("ObjectStore finds objects under all the values that an index names for them", () => {
  const store = new ObjectStore<Job, "label">({ label: ({ metadata }) => Object.keys(metadata.labels ?? {}) });
  const writer = store.writer();
  const labelled = (key: string, version: string, ...labels: string[]) => {
    const object = storedJob(key, version);
    object.metadata.labels = Object.fromEntries(labels.map((label) => [label, ""]));
    return object;
  };
  const found = (label: string) => store.byIndex("label", label).map(({ metadata }) => metadata.name).sort().join();
  for (const event of listed(labelled("x/a", "1", "p", "q"), labelled("x/b", "2", "q"))) writer.apply(event);
  assertEquals([found("p"), found("q"), found("r")], ["a", "a,b", ""]);
  writer.apply({ type: "Apply", object: labelled("x/a", "3", "q", "r") });
  assertEquals([found("p"), found("q"), found("r")], ["", "a,b", "a"]);
  writer.apply({ type: "Delete", object: labelled("x/a", "4", "q", "r") });
  assertEquals([found("p"), found("q"), found("r")], ["", "b", ""]);
});

/** Any history: objects of a few names, each event leading to another state, with lists in between. */
const anyHistory = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("apply" as const), name: fc.nat(5), remade: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), name: fc.nat(5) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("list" as const), keep: fc.array(fc.nat(5)), brokenOff: fc.boolean() }),
    },
  ),
  { maxLength: 40 },
);

test("ObjectStore holds what a naive copy holds, and its changes lead from each state to the next", () => {
  fc.assert(fc.property(anyHistory, (history) => {
    const store = new ObjectStore<Job, "version">({ version: ({ metadata }) => [metadata.resourceVersion] });
    const writer = store.writer();
    /** What the server has. */
    const truth = new Map<string, Job>();
    /** What a listener knows that has the changes alone. */
    const heard = new Map<string, string>();
    let version = 0;
    const take = (event: WatcherEvent<Job>) => {
      for (const { type, object, previous } of writer.apply(event)) {
        const key = keyOf(object);
        assertEquals(heard.has(key), type !== "added");
        if (type === "modified") assertEquals(heard.get(key), previous.metadata.resourceVersion);
        if (type === "deleted") heard.delete(key);
        else heard.set(key, object.metadata.resourceVersion);
      }
    };
    for (const event of listed()) take(event);
    for (const step of history) {
      version++;
      if (step.kind === "apply") {
        const key = `x/${step.name}`;
        const uid = step.remade ? `uid ${version}` : truth.get(key)?.metadata.uid ?? `uid ${version}`;
        const object = storedJob(key, `${version}`, uid);
        truth.set(key, object);
        take({ type: "Apply", object });
      } else if (step.kind === "delete") {
        const object = truth.get(`x/${step.name}`);
        truth.delete(`x/${step.name}`);
        if (object) take({ type: "Delete", object });
      } else {
        if (step.brokenOff) {
          take({ type: "Init" });
          take({ type: "InitPage", objects: [storedJob("x/phantom", "0")] });
        }
        for (const key of [...truth.keys()]) if (!step.keep.includes(Number(key.slice(2)))) truth.delete(key);
        for (const event of listed(...truth.values())) take(event);
      }
      const expected = [...truth].map(([key, { metadata }]) => [key, metadata.resourceVersion]).sort();
      assertEquals(
        [...store.values()].map((object) => [keyOf(object), object.metadata.resourceVersion]).sort(),
        expected,
      );
      assertEquals([...heard].sort(), expected);
      for (const object of truth.values()) {
        assert(store.byIndex("version", object.metadata.resourceVersion).length === 1);
      }
    }
  }));
});
