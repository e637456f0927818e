import { assertEquals } from "@std/assert";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { Informer, withoutManagedFields } from "../../src/runtime/informer.ts";
import { must } from "../support/expected.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { FakeApi } from "./support/fake_api.ts";
import { job } from "./support/jobs.ts";
import { running } from "../support/running.ts";

function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  return { api, clock, options: { client: api, resource: JOBS, clock } };
}

test("Informer fills its store, is ready then, and reports each change after the store has it", async () => {
  const { api, options } = setUp();
  const informer = new Informer(options);
  api.put(JOBS, job("x/a"));
  const told: string[] = [];
  informer.onChange(({ type, object }) => {
    const { namespace, name } = object.metadata;
    told.push(`${type} ${name} ${informer.store.get(`${namespace}/${name}`) === object}`);
  });
  await using _ = running(informer);
  await informer.ready();
  api.remove(JOBS, { namespace: "x", name: "a" });
  api.put(JOBS, job("x/b"));
  await settle();
  assertEquals(told, ["added a true", "deleted a false", "added b true"]);
  assertEquals([informer.connected, informer.error], [true, undefined]);
});

test("Informer follows some namespaces and no other", async () => {
  const { api, options } = setUp();
  for (const key of ["x/a", "y/b", "z/c"]) api.put(JOBS, job(key));
  const informer = new Informer({ ...options, namespaces: ["x", "y", "x"] });
  await using _ = running(informer);
  await informer.ready();
  api.put(JOBS, job("z/d"));
  api.put(JOBS, job("y/e"));
  await settle();
  assertEquals([...informer.store.values()].map(({ metadata }) => metadata.name).sort(), ["a", "b", "e"]);
});

test("Informer calls a handler that comes late with what is there, and one that left no more", async () => {
  const { api, options } = setUp();
  const informer = new Informer(options);
  await using _ = running(informer);
  api.put(JOBS, job("x/a"));
  await settle();
  const told: string[] = [];
  const handler = informer.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  handler[Symbol.dispose]();
  api.put(JOBS, job("x/b"));
  await settle();
  assertEquals(told, ["added a"]);
});

test("Informer goes on with the other handlers when one throws", async () => {
  const { api, options } = setUp();
  const informer = new Informer(options);
  let told = 0;
  informer.onChange(() => {
    throw new Error("broken handler");
  });
  informer.onChange(() => told++);
  await using _ = running(informer);
  for (const key of ["x/a", "x/b"]) api.put(JOBS, job(key));
  await settle();
  assertEquals([told, informer.store.size], [2, 2]);
});

test("Informer says what is wrong until it works again", async () => {
  const { api, clock, options } = setUp();
  const informer = new Informer({ ...options, backoff: { initialMs: 1_000, random: () => 0 } });
  const down = new UnreachableError("down");
  api.intercept = () => {
    throw down;
  };
  await using _ = running(informer);
  await settle();
  assertEquals([informer.error, informer.connected, informer.store.isReady], [down, false, false]);
  api.intercept = undefined;
  await clock.advance(1_000);
  assertEquals([informer.error, informer.connected, informer.store.isReady], [undefined, true, true]);
});

test("Informer keeps what its transform leaves", async () => {
  const { api, options } = setUp();
  const object = job("x/a");
  object.metadata.managedFields = [{ manager: "kubectl" }];
  api.put(JOBS, object);
  const informer = new Informer({ ...options, transform: withoutManagedFields });
  await using _ = running(informer);
  await informer.ready();
  assertEquals(informer.store.get("x/a")?.metadata.managedFields, undefined);
  api.put(JOBS, object);
  await settle();
  assertEquals(informer.store.get("x/a")?.metadata.managedFields, undefined);
});

test("Informer leaves out what cannot be read, and goes on with the others", async () => {
  const { api, options } = setUp();
  const transform = (object: Job) => {
    if (object.metadata.labels?.odd) throw new TypeError("cannot be read");
    return object;
  };
  const informer = new Informer({ ...options, transform });
  const odd = (name: string) => ({ ...job(`x/${name}`), metadata: { name, namespace: "x", labels: { odd: "yes" } } });
  const told: string[] = [];
  informer.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  api.put(JOBS, odd("a"));
  api.put(JOBS, job("x/b"));
  await using _ = running(informer);
  await informer.ready();
  api.put(JOBS, odd("b"));
  api.put(JOBS, odd("b"));
  api.put(JOBS, job("x/a"));
  api.put(JOBS, job("x/b"));
  await settle();
  assertEquals(told, ["added b", "deleted b", "added a", "added b"]);
});

test("Informer lists again on demand, and reports only what has changed meanwhile", async () => {
  const { api, options } = setUp();
  for (const key of ["x/a", "x/b", "y/c"]) api.put(JOBS, job(key));
  const informer = new Informer({ ...options, namespaces: ["x", "y"] });
  await using _ = running(informer);
  await informer.ready();
  const told: string[] = [];
  informer.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  told.splice(0);
  const refreshed = Promise.all([informer.refresh(), informer.refresh()]);
  api.remove(JOBS, { namespace: "x", name: "a" });
  api.put(JOBS, job("y/d"));
  await refreshed;
  assertEquals(told.sort(), ["added d", "deleted a"]);
  assertEquals([informer.synced, informer.error], [true, undefined]);
});

test("Informer that is asked to list again goes on trying until it has", async () => {
  const { api, clock, options } = setUp();
  const informer = new Informer({ ...options, backoff: { initialMs: 1_000, random: () => 0 } });
  await using _ = running(informer);
  await informer.ready();
  api.intercept = (verb) => {
    if (verb === "list") throw new UnreachableError("down");
  };
  let isFresh = false;
  const refreshed = informer.refresh().then(() => isFresh = true);
  await clock.advance(500);
  assertEquals(isFresh, false);
  api.intercept = undefined;
  await clock.advance(500);
  await refreshed;
});

test("Informer that several run follows once, until the last of them ends, and then no more", async () => {
  const { api, options } = setUp();
  const informer = new Informer(options);
  const runs = [new AbortController(), new AbortController()];
  const ended = runs.map(({ signal }) => informer.run(signal));
  await informer.ready();
  must(runs[0]).abort();
  await ended[0];
  api.put(JOBS, job("x/a"));
  await settle();
  assertEquals(informer.store.size, 1);
  assertEquals(api.requests.map((request) => request.split(" ")[0]), ["list", "watch"]);
  must(runs[1]).abort();
  await ended[1];
  assertEquals(informer.connected, false);
  api.put(JOBS, job("x/b"));
  await settle();
  assertEquals(informer.store.size, 1);
});

test("Informer lists anew once for each occasion, whichever caller names it", async () => {
  const { api, options } = setUp();
  const informer = new Informer(options);
  await using _ = running(informer);
  await informer.ready();
  const lists = () => api.requests.splice(0).filter((request) => request.startsWith("list")).length;
  assertEquals(lists(), 1);
  const [winter, summer] = [{}, {}];
  await Promise.all([informer.refresh(winter), informer.refresh(winter)]);
  await informer.refresh(winter);
  assertEquals(lists(), 1);
  await informer.refresh(summer);
  assertEquals(lists(), 1);
});
