import { assertEquals } from "@std/assert";
import { followSources, sourcesOf } from "../../src/cli/standalone/files.ts";
import { CONFIG_MAPS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

test("a folder or a crontab that is given twice is followed once, and applied", async () => {
  await using api = await startTestApiServer();
  await using folder = await temporaryFolder();
  const { path } = folder;
  const clock = new FakeClock();
  const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n";
  Deno.writeTextFileSync(`${path}/a.yaml`, configMap);
  const options = { manifests: [path, `${path}/`, `${path}/../${path.split("/").at(-1)}`, "/other"] };
  const sources = await sourcesOf({ ...options, crontab: [`${path}/tab`, `${path}/./tab`] }, { clock, zone: "UTC" });
  assertEquals(sources.map((source) => source.path), [path, "/other", `${path}/tab`]);
  const folders = await sourcesOf({ manifests: [path, `${path}/`], crontab: [] }, { clock });
  await followSources(folders, { client: api.client, clock, report: () => {} });
  assertEquals((await api.client.get(CONFIG_MAPS, { name: "a", namespace: "default" })).metadata.name, "a");
});
