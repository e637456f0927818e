import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { PodLogSource } from "../../src/apiserver/pod_logs.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { PODS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

const PATH = "/api/v1/namespaces/default/pods/work";
const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "work", namespace: "default" },
  spec: { nodeName: "node", containers: [{ name: "main", image: "none" }] },
};
const NO_RUN: PodLogSource = {
  open() {
    const message = 'container "main" in pod "work" is waiting to start: ContainerCreating';
    return Promise.reject(Object.assign(new Error(message), { code: 400 }));
  },
};

test("The log of a container that has not started says what it waits for", async () => {
  await using api = await startTestApiServer({ podLogs: NO_RUN });
  const { metadata } = await api.client.create(PODS, POD);
  const said = async () => (await assertRejects(() => api.client.raw(`${PATH}/log`), ApiError)).message;
  const waiting = /container "main" in pod "work" is waiting to start: (\w+)/;
  assertEquals((await said()).match(waiting)?.[1], "ContainerCreating");
  const main = { name: "main", image: "none", imageID: "", ready: false, restartCount: 0 };
  const containerStatuses = [{ ...main, state: { waiting: { reason: "CreateContainerConfigError" } } }];
  const body = { status: { containerStatuses } };
  await api.client.patch(PODS, metadata, { type: "merge", body }, { subresource: "status" });
  assertEquals((await said()).match(waiting)?.[1], "CreateContainerConfigError");
});

test("The log of a container that has ended, and whose files are gone, says so", async () => {
  await using api = await startTestApiServer({ podLogs: NO_RUN });
  const { metadata } = await api.client.create(PODS, POD);
  const main = { name: "main", image: "none", imageID: "", ready: false, restartCount: 0 };
  const containerStatuses = [{ ...main, state: { terminated: { exitCode: 0, reason: "Completed" } } }];
  const body = { status: { phase: "Succeeded", containerStatuses } };
  await api.client.patch(PODS, metadata, { type: "merge", body }, { subresource: "status" });
  const { code, message } = await assertRejects(() => api.client.raw(`${PATH}/log`), ApiError);
  assertEquals(code, 400);
  assertStringIncludes(message, 'container "main" in pod "work" has ended, and its log is gone');
});

test("The log of a Pod that no node takes says why", async () => {
  await using api = await startTestApiServer();
  await api.client.create(PODS, { ...POD, spec: { containers: POD.spec.containers } });
  assertEquals((await api.client.raw(`${PATH}/log`)).status, 204, "nobody has said anything yet");
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message: "0/1 nodes are available",
  };
  const body = { status: { conditions: [condition] } };
  await api.client.patch(PODS, POD.metadata, { type: "merge", body }, { subresource: "status" });
  const { code, message } = await assertRejects(() => api.client.raw(`${PATH}/log`), ApiError);
  assertEquals(code, 400);
  assertStringIncludes(message, 'pod "work" is waiting to start: Unschedulable: 0/1 nodes are available');
});

test("Options of logs that cannot be are refused", async () => {
  await using api = await startTestApiServer({ podLogs: NO_RUN });
  const containers = [...POD.spec.containers, { name: "second", image: "none" }];
  await api.client.create(PODS, { ...POD, spec: { ...POD.spec, containers } });
  const rows: [query: string, code: number, message: string][] = [
    ["", 400, "a container name must be specified for pod work, choose one of: [main second]"],
    ["container=third", 400, "container third is not valid for pod work"],
    ["container=main&tailLines=-1", 422, 'PodLogOptions "work" is invalid: tailLines: Invalid value: -1: must be '],
    ["container=main&limitBytes=0", 422, "limitBytes: Invalid value: 0: must be greater than 0"],
    ["container=main&sinceSeconds=0", 422, "sinceSeconds: Invalid value: 0: must be greater than 0"],
    ["container=main&sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z", 422, "at most one of `sinceTime` or `since"],
  ];
  for (const [query, code, message] of rows) {
    const error = await assertRejects(() => api.client.raw(`${PATH}/log?${query}`), ApiError);
    assertEquals(error.code, code, query);
    assertStringIncludes(error.message, message);
  }
});

test("An evicted Pod says so while it ends", async () => {
  await using api = await startTestApiServer();
  const { metadata } = await api.client.create(PODS, POD);
  const { name, resourceVersion } = metadata;
  const deleteOptions = { preconditions: { resourceVersion } };
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, deleteOptions };
  const evict = async (query: string) => {
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(eviction) };
    await (await api.client.raw(`${PATH}/eviction${query}`, request)).body?.cancel();
  };
  const told = async () => {
    const { metadata, status } = await api.client.get(PODS, POD.metadata);
    return [metadata.deletionTimestamp !== undefined, status?.conditions?.map(({ type, reason }) => [type, reason])];
  };
  await evict("?dryRun=All");
  assertEquals(await told(), [false, undefined]);
  await evict("");
  assertEquals(await told(), [true, [["DisruptionTarget", "EvictionByEvictionAPI"]]]);
});

test("A Pod that is evicted once more keeps the place of its condition, and is not written again", async () => {
  await using api = await startTestApiServer();
  await api.client.create(PODS, POD);
  const evict = async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "work" } });
    await (await api.client.raw(`${PATH}/eviction`, { method: "POST", headers, body })).body?.cancel();
    return await api.client.get(PODS, POD.metadata);
  };
  const { status } = await evict();
  const conditions = [...status?.conditions ?? [], { type: "Ready", status: "False" }];
  const body = { status: { conditions } };
  await api.client.patch(PODS, POD.metadata, { type: "merge", body }, { subresource: "status" });
  // The condition is of the generation now that the deletion made.
  const again = await evict();
  assertEquals(again.status?.conditions?.map(({ type }) => type), ["DisruptionTarget", "Ready"]);
  assertEquals((await evict()).metadata.resourceVersion, again.metadata.resourceVersion);
});

test("An eviction deletes the Pod, unless it is another's or a dry run", async () => {
  await using api = await startTestApiServer();
  await api.client.create(PODS, { ...POD, spec: { containers: POD.spec.containers } });
  const evict = (eviction: object, query = "") =>
    api.client.raw(`${PATH}/eviction${query}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "policy/v1", kind: "Eviction", ...eviction }),
    });
  const code = async (eviction: object) => (await assertRejects(() => evict(eviction), ApiError)).code;
  assertEquals(await code({ metadata: { name: "other" } }), 400);
  const metadata = { name: "work", namespace: "default" };
  assertEquals(await code({ metadata, deleteOptions: { preconditions: { uid: "another" } } }), 409);
  for (const query of ["?dryRun=All", ""]) {
    await api.client.get(PODS, metadata);
    const answer = await evict({ metadata }, query);
    assertEquals([answer.status, (await answer.json()).status], [201, "Success"]);
  }
  await assertRejects(() => api.client.get(PODS, metadata), ApiError, "not found");
});
