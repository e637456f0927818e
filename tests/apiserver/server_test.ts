import { assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { CONFIG_MAPS, NAMESPACES } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

test("the server keeps what it is given, and gives it back", async () => {
  await using api = await startTestApiServer();
  const created = await api.client.create(CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default" },
    data: { k: "v" },
  });
  const read = await api.client.get(CONFIG_MAPS, { name: "a", namespace: "default" });
  assertEquals(read, created);
  const changed = await api.client.patch(CONFIG_MAPS, { name: "a", namespace: "default" }, {
    type: "merge",
    body: { data: { k: "w" } },
  });
  assertEquals(changed.data, { k: "w" });
  await api.client.delete(CONFIG_MAPS, { name: "a", namespace: "default" });
  const error = await assertRejects(() => api.client.get(CONFIG_MAPS, { name: "a", namespace: "default" }), ApiError);
  assertEquals(error.reason, "NotFound");
});

test("the server has Kubernetes' own namespaces from the start", async () => {
  await using api = await startTestApiServer();
  const { items } = await api.client.list(NAMESPACES);
  assertEquals(items.map(({ metadata }) => metadata.name), [
    "default",
    "kube-node-lease",
    "kube-public",
    "kube-system",
  ]);
});

test("a watch tells of what comes after the version it starts from", async () => {
  await using api = await startTestApiServer();
  const { metadata: { resourceVersion } } = await api.client.list(CONFIG_MAPS, { namespace: "default" });
  const stop = new AbortController();
  const events = api.client.watch(CONFIG_MAPS, { namespace: "default", resourceVersion, signal: stop.signal });
  await api.client.create(CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default" },
  });
  for await (const event of events) {
    assertEquals([event.type, event.object.metadata.name], ["ADDED", "a"]);
    break;
  }
  stop.abort();
});
