import { assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { CONFIG_MAPS, NAMESPACES } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { eventually } from "../support/program.ts";
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
    "kube-public",
    "kube-system",
  ]);
});

test("a namespace has its ServiceAccount and the certificate of the API as long as it is there", async () => {
  await using api = await startTestApiServer({ controllers: ["gc", "serviceaccount", "root-ca-cert-publisher"] });
  const { client, server } = api;
  const certificate = { name: "kube-root-ca.crt", namespace: "new" };
  const account = "/api/v1/namespaces/new/serviceaccounts/default";
  const isThere = () => client.raw(account).then((answer) => answer.body!.cancel().then(() => true), () => false);
  const published = () => client.get(CONFIG_MAPS, certificate).then(({ data }) => data?.["ca.crt"], () => undefined);
  const isWhole = async () => await isThere() && await published() === server.caCertificate;
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } });
  await eventually("what every namespace has", isWhole);
  await client.patch(CONFIG_MAPS, certificate, { type: "merge", body: { data: { "ca.crt": "forged" } } });
  await (await client.raw(account, { method: "DELETE" })).body?.cancel();
  await eventually("what every namespace has", isWhole);
  await client.delete(NAMESPACES, { name: "new" });
  await eventually("no namespace", () => client.get(NAMESPACES, { name: "new" }).then(() => false, () => true));
});

test("Service kubernetes says where the API is, and can only be read", async () => {
  const dataDir = await Deno.makeTempDir();
  const path = "/api/v1/namespaces/default/services";
  // The second has another port.
  for (const _start of ["first", "second"]) {
    await using api = await startTestApiServer({ dataDir });
    const { spec } = await (await api.client.raw(`${path}/kubernetes`)).json();
    assertEquals(`https://${spec.clusterIP}:${spec.ports[0].port}`, api.server.url);
    const request = { method: "DELETE", headers: { "content-type": "application/json" } };
    const error = await assertRejects(() => api.client.raw(`${path}/kubernetes`, request), ApiError);
    assertEquals(error.code, 405);
  }
  await Deno.remove(dataDir, { recursive: true });
});

test("a watch shows what comes after the version it starts from", async () => {
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

test("a body that is nested too deeply is a bad request, in every form that it may have", async () => {
  await using api = await startTestApiServer();
  const path = "/api/v1/namespaces/default/configmaps";
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "deep" } };
  await api.client.create(CONFIG_MAPS, { ...map, metadata: { name: "deep", namespace: "default" } });
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  const object = JSON.stringify({ ...map, data: 0 }).replace("0", deep);
  const patch = JSON.stringify([{ op: "add", path: "/data", value: 0 }]).replace("0", deep);
  const attempts: [method: string, url: string, contentType: string, body: string][] = [];
  for (const validation of ["Ignore", "Warn", "Strict"]) {
    const query = `fieldValidation=${validation}`;
    attempts.push(
      ["POST", `${path}?${query}`, "application/json", object],
      ["POST", `${path}?${query}`, "application/yaml", object],
      ["PUT", `${path}/deep?${query}`, "application/json", object],
      ["PATCH", `${path}/deep?${query}`, "application/json-patch+json", patch],
      ["PATCH", `${path}/deep?${query}`, "application/merge-patch+json", object],
      ["PATCH", `${path}/deep?${query}`, "application/strategic-merge-patch+json", object],
      ["PATCH", `${path}/deep?${query}&fieldManager=a`, "application/apply-patch+yaml", object],
    );
  }
  for (const [method, url, contentType, body] of attempts) {
    const request = { method, headers: { "content-type": contentType }, body };
    const error = await assertRejects(() => api.client.raw(url, request), ApiError);
    assertEquals(error.code, 400, `${method} ${url} ${contentType}: ${error.message.slice(0, 200)}`);
  }
});
