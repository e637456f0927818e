import { assertEquals, assertRejects } from "@std/assert";
import { applyManifests } from "../../src/cli/apply.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

function manifest(apiVersion: string, kind: string) {
  return { file: "a.yaml", object: { apiVersion, kind, metadata: { name: "a" } } };
}

test("applyManifests says which kind the server does not know, and in which file", async () => {
  await using api = await startTestApiServer();
  assertEquals(await applyManifests(api.client, [manifest("v1", "ConfigMap"), manifest("v1", "ConfigMap")]), 2);
  for (const [apiVersion, kind] of [["apps/v1", "Deployment"], ["batch/v9", "Job"], ["v1", "Pot"]]) {
    await assertRejects(
      () => applyManifests(api.client, [manifest(apiVersion, kind)]),
      ConfigError,
      `Cannot apply ${kind} a of a.yaml: the server knows no kind ${kind} in ${apiVersion}`,
    );
  }
});
