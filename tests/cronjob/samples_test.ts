import { assertEquals } from "@std/assert";
import { parseAllDocuments } from "yaml";
import { BATCH, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../../src/cronjob/api/crd.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { apiVersionOf } from "../../src/kube/resource.ts";
import { parseSchedule } from "../../src/schedule/schedule.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

const SAMPLES = new URL("../../deploy/samples/", import.meta.url);

test("Every sample is taken by an API server that checks all fields", async () => {
  await using started = await startTestApiServer();
  const { client } = started;
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const names: string[] = [];
  for await (const { name } of Deno.readDir(SAMPLES)) {
    for (const document of parseAllDocuments(await Deno.readTextFile(new URL(name, SAMPLES)))) {
      const manifest = document.toJS() as CronJobObject;
      const api = [TUTORIAL, BATCH].find(({ resource }) => apiVersionOf(resource) === manifest.apiVersion)!;
      const path = `/apis/${manifest.apiVersion}/namespaces/default/${api.resource.plural}?fieldValidation=Strict`;
      const response = await client.raw(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(manifest),
      });
      assertEquals(response.status, 201, `${name}: ${await response.text()}`);
      parseSchedule(manifest.spec.schedule, { timeZone: manifest.spec.timeZone ?? undefined });
      names.push(manifest.metadata.name);
    }
  }
  assertEquals(names.sort(), ["cronjob-sample", "failing", "forbid", "hello", "minutely", "replace"]);
});
