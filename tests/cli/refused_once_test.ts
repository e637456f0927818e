import { assertEquals } from "@std/assert";
import { refusedOnce } from "../../src/cli/shared/refused_once.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { type Job, JOBS, PODS, type Resource } from "../../src/kube/resource.ts";
import { test } from "../support/test.ts";

const NO_RIGHT = 'jobs.batch is forbidden: User "ana" cannot list resource "jobs" in API group "batch"';

/** Answers each request with this; says what was sent. */
function answering(message: string | undefined) {
  const sent: string[] = [];
  const send = (what: string) => {
    sent.push(what);
    return message === undefined
      ? Promise.resolve({ items: [], metadata: {} })
      : Promise.reject(new ApiError(message, { code: 403, reason: "Forbidden" }));
  };
  const client = {
    list: ({ plural }: { plural: string }, { namespace }: { namespace?: string }) => send(`${plural} ${namespace}`),
    get: (_: unknown, { name }: { name: string }) => send(name),
    create: () => send("create"),
    raw: send,
    // deno-lint-ignore require-yield
    watch: async function* () {
      await send("watch");
    },
  };
  return { client: refusedOnce(client as unknown as KubeClient), sent };
}

/** How each of these ended, one after the other or all at once. */
async function outcomes(...asks: (() => Promise<unknown>)[]): Promise<string[]> {
  return (await Promise.allSettled(asks.map((ask) => ask()))).map(({ status }) => status);
}

test("what was forbidden is not sent again, also when it is asked for at the same time", async () => {
  const { client, sent } = answering(NO_RIGHT);
  const list = (namespace: string) => () => client.list(JOBS, { namespace });
  assertEquals(await outcomes(list("a"), list("a")), ["rejected", "rejected"]);
  assertEquals(await outcomes(list("a"), list("b"), () => client.list(PODS, { namespace: "a" })), [
    "rejected",
    "rejected",
    "rejected",
  ]);
  assertEquals(sent, ["jobs a", "jobs b", "pods a"]);
});

test("Jobs and Pods are of one kind whatever their names, and CronJobs may be allowed one by one", async () => {
  const { client, sent } = answering(NO_RIGHT);
  const get = (resource: Resource, name: string) => () => client.get(resource, { namespace: "a", name });
  await outcomes(get(JOBS, "x"), get(JOBS, "y"), get(BATCH.resource, "c"), get(BATCH.resource, "d"));
  const log = (pod: string) => () => client.raw(`/api/v1/namespaces/a/pods/${pod}/log?container=${pod}`);
  await outcomes(log("p"), log("q"));
  assertEquals(sent, ["x", "c", "d", "/api/v1/namespaces/a/pods/p/log?container=p"]);
});

test("a watch that was forbidden is not opened again", async () => {
  const { client, sent } = answering(NO_RIGHT);
  const watch = () => Array.fromAsync(client.watch(JOBS, { namespace: "a" }));
  await outcomes(watch);
  await outcomes(watch);
  assertEquals(sent, ["watch"]);
});

test("what a quota forbids may be allowed to the next object", async () => {
  const { client, sent } = answering('jobs.batch "x" is forbidden: exceeded quota: count/jobs.batch=5');
  const create = () => client.create(JOBS, { metadata: { name: "x", namespace: "a" } } as Job);
  await outcomes(create, create);
  assertEquals(sent, ["create", "create"]);
});

test("what is allowed goes on at the same time after the first answer", async () => {
  const { client, sent } = answering(undefined);
  const list = () => client.list(JOBS, { namespace: "a" });
  assertEquals(await outcomes(list, list, list), ["fulfilled", "fulfilled", "fulfilled"]);
  assertEquals(sent.length, 3);
});
