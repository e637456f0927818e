/**
 * How fast the runtime's parts are, in one process: `deno task bench:runtime`. Numbers of one run compare with each
 * other; those of two machines, or two loads, do not.
 */
import type { KubeClient, WatchEvent } from "../../src/kube/client.ts";
import { keyOf } from "../../src/kube/object.ts";
import { CONFIG_MAPS, type Job, JOBS } from "../../src/kube/resource.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { Controller } from "../../src/runtime/controller.ts";
import { IndexedHeap } from "../../src/runtime/indexed_heap.ts";
import { Informer } from "../../src/runtime/informer.ts";
import { WorkQueue } from "../../src/runtime/work_queue.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { inParallel } from "./support/in_parallel.ts";

const clock = new SystemClock();
const rows: { what: string; count: number; "per second": number; "µs each": number; "times JSON.parse": string }[] = [];

async function measure(what: string, count: number, work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  rows.push({
    what,
    count,
    "per second": Math.round(count / ms * 1_000),
    "µs each": Math.round(ms / count * 10_000) / 10,
    "times JSON.parse": "",
  });
  return ms;
}

function job(index: number, version: number): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `job-${index}`,
      namespace: "default",
      uid: `uid-${index}`,
      resourceVersion: `${version}`,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ownerReferences: [{
        apiVersion: "batch/v1",
        kind: "CronJob",
        name: "x",
        uid: `owner-${index % 1_000}`,
        controller: true,
      }],
    },
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", args: ["true"] }] } },
    },
  };
}

const N = 50_000;

// The yardstick: what every event costs at the least.
const text = JSON.stringify({ type: "MODIFIED", object: job(1, 1) });
const parseMs = await measure("JSON.parse of one watch event", N, () => {
  for (let i = 0; i < N; i++) JSON.parse(text);
});

/** A server that costs nothing: 5,000 objects, then a change for each of the rest. */
class Source implements Pick<KubeClient, "list" | "watch"> {
  readonly delivered = Promise.withResolvers<void>();

  list<T>(): Promise<{ items: T[]; metadata: { resourceVersion: string } }> {
    const items = Array.from({ length: 5_000 }, (_, index) => job(index, 1)) as unknown as T[];
    return Promise.resolve({ items, metadata: { resourceVersion: "1" } });
  }

  async *watch<T>(): AsyncGenerator<WatchEvent<T>> {
    for (let i = 0; i < N; i++) yield { type: "MODIFIED", object: job(i % 5_000, i + 2) as unknown as T };
    this.delivered.resolve();
    await new Promise(() => {/* the rest is silence */});
  }
}

const stop = new AbortController();
const source = new Source();
const informer = new Informer<Job, "owner">({
  client: source as unknown as KubeClient,
  resource: JOBS,
  clock,
  indexes: { owner: ({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? [] },
});
let changes = 0;
informer.onChange(() => changes++);
await measure("event through watcher, store, index, handler", N, async () => {
  void informer.run(stop.signal);
  await source.delivered.promise;
});
if (changes !== N + 5_000) throw new Error(`Cannot trust the benchmark: ${changes} changes`);
await measure("look-up of an owner's 5 children", N, () => {
  for (let i = 0; i < N; i++) informer.store.byIndex("owner", `owner-${i % 1_000}`);
});

await measure("heap: set and pop", N, () => {
  const heap = new IndexedHeap<string>();
  for (let i = 0; i < N; i++) heap.set(`key-${i}`, (i * 7_919) % N);
  while (heap.pop());
});

await measure("queue: add, get, done", N, async () => {
  const queue = new WorkQueue({ clock });
  for (let i = 0; i < N; i++) queue.add(`key-${i}`);
  for (let i = 0; i < N; i++) queue.done((await queue.get())!);
});

await measure("controller: reconcile that asks to come back", N, async () => {
  let left = N;
  const done = new AbortController();
  const controller = new Controller({
    name: "bench",
    clock,
    reconcile: () => {
      if (--left === 0) done.abort();
      return Promise.resolve({ requeueAt: clock.now() + 3_600_000 });
    },
  });
  for (let i = 0; i < N; i++) controller.enqueue(`key-${i}`);
  await controller.run(done.signal);
});

{
  await using api = await startTestApiServer({ ephemeral: false });
  const M = 2_000;
  const configMap = (name: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
  });
  const parallel = (make: (index: number) => Promise<unknown>) => inParallel(M, 50, make);
  await parallel((i) => api.client.create(CONFIG_MAPS, configMap(`warm-up-${i}`)));
  await measure(
    "request: create, 50 in flight (server in this process)",
    M,
    () => parallel((i) => api.client.create(CONFIG_MAPS, configMap(`c-${i}`), { lane: "run" })),
  );
  await measure(
    "request: get, 50 in flight (server in this process)",
    M,
    () => parallel((i) => api.client.get(CONFIG_MAPS, { name: `c-${i}`, namespace: "default" })),
  );
  const found = await api.client.list(CONFIG_MAPS);
  await measure("request: list of 4,000, for each object", found.items.length, async () => {
    for (const item of (await api.client.list(CONFIG_MAPS)).items) keyOf(item);
  });
}

for (const row of rows) row["times JSON.parse"] = (row["µs each"] / (parseMs / N * 1_000)).toFixed(1);
console.table(rows);
stop.abort();
Deno.exit(0);
