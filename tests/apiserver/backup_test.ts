import { assertEquals, assertGreater, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { ServerError } from "../../src/apiserver/errors.ts";
import { backupDatabase, restoreDatabase } from "../../src/apiserver/storage/backup.ts";
import { dataDirPaths } from "../../src/apiserver/storage/data_dir.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { CONFIG_MAPS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

function configMap(name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
}

test("a backup is taken while the server runs, and restored when it doesn't", async () => {
  const dir = await Deno.makeTempDir();
  const [dataDir, file] = [`${dir}/data`, `${dir}/backup`];
  let newest: string;
  {
    await using api = await startTestApiServer({ dataDir });
    await api.client.create(CONFIG_MAPS, configMap("kept"));
    await backupDatabase(dataDir, file);
    assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
    const later = await api.client.create(CONFIG_MAPS, configMap("later"));
    newest = later.metadata.resourceVersion;
    assertThrows(() => restoreDatabase(dataDir, file), ServerError, "another process");
  }
  restoreDatabase(dataDir, file);
  {
    await using api = await startTestApiServer({ dataDir });
    const { items, metadata } = await api.client.list(CONFIG_MAPS, { namespace: "default" });
    assertEquals(items.map(({ metadata }) => metadata.name), ["kept"]);
    assertGreater(Number(metadata.resourceVersion), Number(newest));
    const expired = await assertRejects(async () => {
      for await (const _ of api.client.watch(CONFIG_MAPS, { resourceVersion: newest })) break;
    }, ApiError);
    assertEquals(expired.isExpired, true);
  }
  await Deno.remove(dir, { recursive: true });
});

test("what is no backup is not restored, and what was there stays", async () => {
  const dir = await Deno.makeTempDir();
  const [dataDir, file] = [`${dir}/data`, `${dir}/backup`];
  {
    await using api = await startTestApiServer({ dataDir });
    await api.client.create(CONFIG_MAPS, configMap("kept"));
  }
  assertThrows(() => restoreDatabase(dataDir, file), ServerError, "Cannot read backup");
  for (const nonsense of ["", "no database at all, but long enough to be looked at".repeat(20)]) {
    await Deno.writeTextFile(file, nonsense);
    assertThrows(() => restoreDatabase(dataDir, file), ServerError, "it is no backup");
  }
  {
    await using api = await startTestApiServer({ dataDir });
    assertEquals((await api.client.list(CONFIG_MAPS, { namespace: "default" })).items.length, 1);
  }
  await assertRejects(() => backupDatabase(`${dir}/nowhere`, file), ServerError, "there is no database in it");
  await Deno.remove(dir, { recursive: true });
});

test("a backup of a damaged database is none, and leaves the last good one", async () => {
  const dir = await Deno.makeTempDir();
  const [dataDir, file] = [`${dir}/data`, `${dir}/backup`];
  {
    await using api = await startTestApiServer({ dataDir });
    for (let index = 0; index < 50; index++) await api.client.create(CONFIG_MAPS, configMap(`map-${index}`));
  }
  await backupDatabase(dataDir, file);
  const good = await Deno.readFile(file);
  const { database } = dataDirPaths(dataDir);
  using pages = await Deno.open(database, { write: true });
  await pages.seek(4096 * 2, Deno.SeekMode.Start);
  await pages.write(new Uint8Array(4096 * 4).fill(0xff));
  const error = await assertRejects(() => backupDatabase(dataDir, file), ServerError);
  assertMatch(error.message, /^Cannot back up .*damaged|malformed/);
  assertEquals(await Deno.readFile(file), good);
  await Deno.remove(dir, { recursive: true });
});
