import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { JOBS, PODS, type Resource } from "../../src/kube/resource.ts";
import { collectionPath, pathOf } from "../../src/kube/resource_path.ts";
import { Call } from "../../src/kube/transport/call.ts";
import { refusedOnce } from "../../src/kube/transport/refused_once_layer.ts";
import { test } from "../support/test.ts";

const NO_RIGHT = 'jobs.batch is forbidden: User "ana" cannot list resource "jobs" in API group "batch"';

/** Answers each request with this; says what was sent. */
function answering(message: string | undefined) {
  const sent: string[] = [];
  const send = refusedOnce()(({ request: { verb, path } }) => {
    sent.push(`${verb} ${path}`);
    if (message === undefined) return Promise.resolve({});
    return Promise.reject(new ApiError(message, { code: 403, reason: "Forbidden" }));
  });
  const ask = (verb: string, path: string) => () =>
    send(new Call({ verb, path, method: "GET", resource: "", action: verb, lane: "read" }));
  return { ask, sent };
}

/** How each of these ended, one after the other or all at once. */
async function outcomes(...asks: (() => Promise<unknown>)[]): Promise<string[]> {
  return (await Promise.allSettled(asks.map((ask) => ask()))).map(({ status }) => status);
}

test("what was forbidden is not sent again, also when it is asked for at the same time", async () => {
  const { ask, sent } = answering(NO_RIGHT);
  const list = (resource: Resource, namespace: string) => ask("list", collectionPath(resource, namespace));
  const jobs = list(JOBS, "a");
  assertEquals(await outcomes(jobs, jobs), ["rejected", "rejected"]);
  const selected = ask("list", `${collectionPath(JOBS, "a")}?labelSelector=b`);
  assertEquals(await outcomes(jobs, selected, list(JOBS, "b"), list(PODS, "a")), Array(4).fill("rejected"));
  assertEquals(sent, [
    "list /apis/batch/v1/namespaces/a/jobs",
    "list /apis/batch/v1/namespaces/b/jobs",
    "list /api/v1/namespaces/a/pods",
  ]);
});

test("Jobs and Pods are of one kind whatever their names, and CronJobs may be allowed one by one", async () => {
  const { ask, sent } = answering(NO_RIGHT);
  // A namespace may bear any name.
  const get = (resource: Resource, name: string) => ask("get", pathOf(resource, { namespace: "jobs", name }));
  await outcomes(get(JOBS, "x"), get(JOBS, "y"), get(BATCH.resource, "c"), get(BATCH.resource, "d"));
  const log = (pod: string) => ask("get", `${pathOf(PODS, { namespace: "jobs", name: pod }, "log")}?container=${pod}`);
  await outcomes(log("p"), log("q"));
  assertEquals(sent, [
    "get /apis/batch/v1/namespaces/jobs/jobs/x",
    "get /apis/batch/v1/namespaces/jobs/cronjobs/c",
    "get /apis/batch/v1/namespaces/jobs/cronjobs/d",
    "get /api/v1/namespaces/jobs/pods/p/log?container=p",
  ]);
});

test("who may list may be forbidden to watch, which is asked for once", async () => {
  const { ask, sent } = answering(NO_RIGHT);
  for (const verb of ["watch", "list", "watch"]) await outcomes(ask(verb, collectionPath(JOBS, "a")));
  assertEquals(sent.map((text) => text.split(" ")[0]), ["watch", "list"]);
});

test("a watch waits for no answer to another, which may begin with its first event", async () => {
  const sent: string[] = [];
  const send = refusedOnce()(({ request: { path } }) => {
    sent.push(path);
    return sent.length === 1 ? new Promise(() => {}) : Promise.resolve({});
  });
  const watch = (path: string) =>
    new Call({ verb: "watch", path, method: "GET", resource: "", action: "", lane: "read" });
  void send(watch("/api/v1/events?fieldSelector=a"));
  await send(watch("/api/v1/events?fieldSelector=b"));
  assertEquals(sent.length, 2);
});

test("what a quota forbids may be allowed to the next object", async () => {
  const { ask, sent } = answering('jobs.batch "x" is forbidden: exceeded quota: count/jobs.batch=5');
  const create = ask("create", collectionPath(JOBS, "a"));
  await outcomes(create, create);
  assertEquals(sent.length, 2);
});

test("what is allowed goes on at the same time after the first answer", async () => {
  const { ask, sent } = answering(undefined);
  const list = ask("list", collectionPath(JOBS, "a"));
  assertEquals(await outcomes(list, list, list), ["fulfilled", "fulfilled", "fulfilled"]);
  assertEquals(sent.length, 3);
});
