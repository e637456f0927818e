import { assertEquals } from "@std/assert";
import { parseAllDocuments } from "yaml";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { DEFINED_FLAVOURS, definitionOf } from "../../src/cronjob/api/crd.ts";
import { scheduleOf } from "../../src/cronjob/api/schedule_reading.ts";
import { readSettings } from "../../src/cronjob/api/read_settings.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { sampleFiles } from "../support/samples.ts";
import { test } from "../support/test.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";

test("Every sample is taken by an API server that checks all fields", async () => {
  await using started = await startTestApiServer();
  const { client } = started;
  for (const flavour of DEFINED_FLAVOURS) await client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(flavour));
  const names: string[] = [];
  for await (const { path: file, text } of sampleFiles()) {
    for (const document of parseAllDocuments(text)) {
      const manifest = document.toJS() as CronJobObject;
      const api = FLAVOURS.find(({ apiVersion }) => apiVersion === manifest.apiVersion)!;
      const path = `/apis/${manifest.apiVersion}/namespaces/default/${api.resource.plural}?fieldValidation=Strict`;
      const response = await client.raw(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(manifest),
      });
      assertEquals(response.status, 201, `${file}: ${await response.text()}`);
      scheduleOf(readSettings(api, { ...manifest, metadata: { ...manifest.metadata, namespace: "default" } }));
      names.push(manifest.metadata.name);
    }
  }
  assertEquals(names.sort(), ["cronjob-sample", "failing", "forbid", "hello", "minutely", "nightly", "replace"]);
});
