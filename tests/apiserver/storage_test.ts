import { assertEquals, assertRejects } from "@std/assert";
import * as fc from "fast-check";
import { Housekeeping } from "../../src/apiserver/controllers/housekeeping.ts";
import { Refusal } from "../../src/apiserver/refusals.ts";
import { Database } from "../../src/apiserver/storage/database.ts";
import { Storage } from "../../src/apiserver/storage/storage.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

const THINGS = "example.com/things";

function thing(namespace: string, name: string, value = 0) {
  return {
    kind: "Thing",
    apiVersion: "example.com/v1",
    metadata: { name, namespace, uid: `${namespace}/${name}` },
    value,
  };
}

function openStorage(path = ":memory:", clock = new FakeClock(), seldomRead: readonly string[] = []): Storage {
  return new Storage(new Database(path), clock, { seldomRead });
}

test("versions rise by one a write, from a first one that has a past", async () => {
  const storage = openStorage();
  const first = storage.lastVersion;
  assertEquals(first >= 3 && storage.compactedVersion === first, true);
  const versions = await Promise.all(
    [1, 2, 3].map((index) => storage.write((tx) => tx.put(THINGS, thing("a", `t${index}`)).version)),
  );
  assertEquals(versions, [first + 1, first + 2, first + 3]);
  storage.close();
});

test("a write that throws leaves nothing behind, and the others of its batch are stored", async () => {
  const storage = openStorage();
  const first = storage.lastVersion;
  const good = storage.write((tx) => tx.put(THINGS, thing("a", "one")).version);
  const bad = storage.write((tx) => {
    tx.put(THINGS, thing("a", "one", 2));
    tx.put(THINGS, thing("a", "two"));
    throw new Error("changed my mind");
  });
  const after = storage.write((tx) => [tx.get(THINGS, "a", "two"), tx.put(THINGS, thing("a", "three")).version]);
  assertEquals(await good, first + 1);
  await assertRejects(() => bad, Error, "changed my mind");
  assertEquals(await after, [undefined, first + 2]);
  assertEquals(storage.list(THINGS).map(({ name, text }) => [name, JSON.parse(text).value]), [["one", 0], [
    "three",
    0,
  ]]);
  storage.close();
});

test("no client sees a write before it is on disk", async () => {
  const storage = openStorage();
  const writing = storage.write((tx) => void tx.put(THINGS, thing("a", "one")));
  assertEquals(storage.get(THINGS, "a", "one"), undefined);
  await writing;
  assertEquals(storage.get(THINGS, "a", "one")?.name, "one");
  storage.close();
});

test("when the disk takes no more, writes are refused and what was there stays", async () => {
  const database = new Database(":memory:");
  const storage = new Storage(database, new FakeClock());
  await storage.write((tx) => tx.put(THINGS, thing("a", "one")));
  const before = storage.lastVersion;
  database.limitPages(8);
  const text = "x".repeat(100_000);
  const refused = await assertRejects(
    () => storage.write((tx) => tx.put(THINGS, { ...thing("a", "two"), text })),
    Refusal,
    "database or disk is full",
  );
  assertEquals(refused.code, 500);
  assertEquals([storage.list(THINGS).length, storage.lastVersion], [1, before]);
  database.limitPages(10_000);
  await storage.write((tx) => tx.put(THINGS, { ...thing("a", "two"), text }));
  assertEquals(storage.list(THINGS).length, 2);
  storage.close();
});

test("lists come in the order of keys, as etcd has them", async () => {
  const storage = openStorage();
  await storage.write((tx) => {
    for (const [namespace, name] of [["a", "y"], ["a-b", "x"], ["a", "x"], ["b", "x"]] as const) {
      tx.put(THINGS, thing(namespace, name));
    }
  });
  assertEquals(storage.list(THINGS).map(({ key }) => key), ["a-b/x", "a/x", "a/y", "b/x"]);
  storage.close();
});

test("storage agrees with a plain model, now and at every version of the past", async () => {
  const step = fc.record({
    namespace: fc.constantFrom("a", "a-b", "b"),
    name: fc.constantFrom("x", "y", "z"),
    remove: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, isSeldomRead) => {
      const storage = openStorage(":memory:", new FakeClock(), isSeldomRead ? [THINGS] : []);
      const model = new Map<string, number>();
      const past = new Map<number, [string, number][]>();
      const inOrder = () => [...model].sort(([a], [b]) => a < b ? -1 : 1);
      past.set(storage.lastVersion, inOrder());
      for (const [value, { namespace, name, remove }] of steps.entries()) {
        await storage.write((tx) => {
          const there = tx.get(THINGS, namespace, name);
          if (!remove) tx.put(THINGS, thing(namespace, name, value));
          else if (there) tx.delete(there);
        });
        if (remove) model.delete(`${namespace}/${name}`);
        else model.set(`${namespace}/${name}`, value);
        past.set(storage.lastVersion, inOrder());
      }
      const shown = (list: ReturnType<Storage["list"]>) => list.map(({ key, text }) => [key, JSON.parse(text).value]);
      assertEquals(shown(storage.list(THINGS)), inOrder());
      for (const [version, state] of past) assertEquals(shown(storage.listAt(THINGS, version)), state);
      assertEquals(
        shown(storage.list(THINGS, "a")),
        inOrder().filter(([key]) => key.startsWith("a/")),
      );
      storage.close();
    }),
    { numRuns: 60 },
  );
});

test("the text of what is seldom read stands on disk alone, before and after a restart", async () => {
  const dir = await Deno.makeTempDir({ prefix: "storage-" });
  const path = `${dir}/objects.sqlite`;
  const first = openStorage(path, new FakeClock(), [THINGS]);
  const told: unknown[] = [];
  first.onChanges((changes) => told.push(...changes.map(({ object }) => JSON.parse(object.text).value)));
  await first.write((tx) => [tx.put(THINGS, thing("a", "x", 1)), tx.put(THINGS, thing("a", "x", 2))]);
  await first.write((tx) => tx.put(THINGS, thing("a", "y", 3)));
  await first.write((tx) => tx.put("others", thing("a", "z", 4)));
  const held = (storage: Storage) =>
    [...storage.list(THINGS), ...storage.list("others")].map((stored) => [
      stored.key,
      JSON.parse(stored.text).value,
      Object.hasOwn(stored, "text"),
    ]);
  const expected = [["a/x", 2, false], ["a/y", 3, false], ["a/z", 4, true]];
  assertEquals([held(first), told], [expected, [1, 2, 3, 4]]);
  first.close();
  const again = openStorage(path, new FakeClock(), [THINGS]);
  assertEquals(held(again), expected);
  again.close();
  await Deno.remove(dir, { recursive: true });
});

test("changes after a version are reported in order, with what was there before", async () => {
  const storage = openStorage();
  await storage.write((tx) => tx.put(THINGS, thing("a", "x", 1)));
  const from = storage.lastVersion;
  await storage.write((tx) => tx.put(THINGS, thing("a", "x", 2)));
  await storage.write((tx) => tx.delete(tx.get(THINGS, "a", "x")!));
  assertEquals(
    storage.changesAfter(THINGS, from).map(({ type, object, previous }) => [
      type,
      object.version - from,
      JSON.parse(object.text).value,
      previous && JSON.parse(previous.text).value,
    ]),
    [["MODIFIED", 1, 2, 1], ["DELETED", 2, 2, 2]],
  );
  storage.close();
});

test("objects, versions and what was compacted outlive the process", async () => {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/objects.sqlite`;
  const first = openStorage(path);
  await first.write((tx) => tx.put(THINGS, thing("a", "x", 1)));
  await first.write((tx) => tx.put(THINGS, thing("a", "y", 1)));
  await first.write((tx) => tx.delete(tx.get(THINGS, "a", "y")!));
  const last = first.lastVersion;
  first.compact(last);
  first.close();
  const again = openStorage(path);
  assertEquals([again.lastVersion, again.compactedVersion], [last, last]);
  assertEquals(again.list(THINGS).map(({ key }) => key), ["a/x"]);
  again.close();
  await Deno.remove(dir, { recursive: true });
});

test("history of earlier lives is forgotten at the next start once it is old", async () => {
  const dir = await Deno.makeTempDir({ prefix: "storage-" });
  const path = `${dir}/objects.sqlite`;
  const clock = new FakeClock();
  const versions: number[] = [];
  for (let life = 0; life < 4; life++) {
    const storage = openStorage(path, clock);
    const housekeeping = new Housekeeping(storage, clock);
    await clock.advance(5 * 60_000);
    await storage.write((tx) => tx.put(THINGS, thing("a", "x", life)));
    versions.push(storage.lastVersion);
    await clock.advance(4 * 60_000);
    await housekeeping.close();
    storage.close();
  }
  const storage = openStorage(path, clock);
  assertEquals(storage.compactedVersion, versions[0]);
  storage.close();
  await Deno.remove(dir, { recursive: true });
});

test("history is forgotten when it is old, and Events an hour after their last write", async () => {
  const clock = new FakeClock();
  const storage = openStorage(":memory:", clock);
  const housekeeping = new Housekeeping(storage, clock);
  const event = { kind: "Event", apiVersion: "v1", metadata: { name: "e", namespace: "a", uid: "e" } };
  await storage.write((tx) => tx.put("/events", event));
  const written = storage.lastVersion;
  await clock.advance(10 * 60_000);
  assertEquals(storage.compactedVersion < written, true);
  await clock.advance(10 * 60_000);
  assertEquals(storage.compactedVersion >= written, true);
  assertEquals(storage.list("/events").length, 1);
  await clock.advance(41 * 60_000);
  assertEquals(storage.list("/events").length, 0);
  await housekeeping.close();
  storage.close();
});
