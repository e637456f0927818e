import { assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { NAMESPACES } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

const PATH = "/api/v1/namespaces/default/configmaps/kept";

test("a deletion whose options cannot be read is refused, and deletes nothing", async () => {
  await using api = await startTestApiServer();
  await api.client.raw("/api/v1/namespaces/default/configmaps", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name: "kept" } }),
  }).then((response) => response.body?.cancel());
  const code = (body: string, contentType = "application/json") =>
    api.client.raw(PATH, { method: "DELETE", headers: { "content-type": contentType }, body }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      (error) => error.code,
    );
  const wrong = [
    "xx",
    "[]",
    "5",
    '{"gracePeriodSeconds":"soon"}',
    '{"preconditions":5}',
    '{"preconditions":{"uid":7}}',
    '{"dryRun":"All"}',
    '{"propagationPolicy":1}',
    '{"orphanDependents":"yes"}',
    '{"kind":"Pod","apiVersion":"v1"}',
  ];
  for (const body of wrong) assertEquals([body, await code(body)], [body, 400]);
  assertEquals(await code("{}", "text/plain"), 415);
  assertEquals(await code("k8s", "application/vnd.kubernetes.protobuf"), 400);
  assertEquals(await code('{"propagationPolicy":"Sometimes"}'), 422);
  assertEquals(await code("dryRun: [All]", "application/yaml"), 200);
  assertEquals(await code('{"preconditions":null,"gracePeriodSeconds":null}'), 200);
  assertEquals(await code("{}"), 404);
});

test("a namespace that a cluster cannot do without is not deleted, in Kubernetes' words", async () => {
  await using api = await startTestApiServer();
  for (const name of ["default", "kube-system"]) {
    const error = await assertRejects(() => api.client.delete(NAMESPACES, { name }), ApiError);
    assertEquals([error.code, error.status?.message], [
      403,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    ]);
  }
  assertEquals((await api.client.get(NAMESPACES, { name: "default" })).metadata.deletionTimestamp, undefined);
});
