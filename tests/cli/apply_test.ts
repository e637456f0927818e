import { assertEquals, assertRejects } from "@std/assert";
import { applyManifests, readManifestsToApply } from "../../src/cli/standalone/apply.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { temporaryFolder } from "../support/program.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

function manifest(apiVersion: string, kind: string) {
  return { source: "a.yaml", object: { apiVersion, kind, metadata: { name: "a" } } };
}

test("applyManifests says which kind the server does not know, and in which file", async () => {
  await using api = await startTestApiServer();
  assertEquals(await applyManifests(api.client, [manifest("v1", "ConfigMap"), manifest("v1", "ConfigMap")]), 2);
  for (const [apiVersion, kind] of [["apps/v1", "Deployment"], ["batch/v9", "Job"], ["v1", "Pot"]] as const) {
    await assertRejects(
      () => applyManifests(api.client, [manifest(apiVersion, kind)]),
      ConfigError,
      `Cannot apply ${kind} a of a.yaml: the server knows no kind ${kind} in ${apiVersion}`,
    );
  }
});

test("readManifestsToApply() names the file and the fault", async () => {
  await using folder = await temporaryFolder();
  const file = `${folder.path}/f.yaml`;
  const faults: [text: string, message: string][] = [
    ["a: [", `Cannot read manifest ${file}: `],
    ["kind: Pod", "every document needs apiVersion and kind"],
    ["just text", "every document needs apiVersion and kind"],
    ["apiVersion: v1\nkind: Pod", "the Pod needs metadata.name"],
  ];
  for (const [text, message] of faults) {
    await Deno.writeTextFile(file, text);
    const error = await assertRejects(() => readManifestsToApply([file]), ConfigError, message);
    assertEquals(error.message.includes("\n"), false);
  }
});
