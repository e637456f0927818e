import { assertEquals } from "@std/assert";
import { backupDatabase } from "../../src/apiserver/storage/backup.ts";
import { dataDirPaths } from "../../src/apiserver/storage/data_dir.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { CONFIG_MAPS } from "../../src/kube/resource.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { EventRecorder } from "../../src/runtime/event_recorder.ts";
import { Informer } from "../../src/runtime/informer.ts";
import { LeaderElection } from "../../src/runtime/leader_election.ts";
import { Manager } from "../../src/runtime/manager.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { ownPort } from "../support/own_port.ts";
import { TIMINGS } from "./support/candidates.ts";
import { running } from "../support/running.ts";

const clock = new SystemClock();

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await clock.sleep(5);
}

function configMap(name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
}

test("Informer follows our API server through a restart of it, missing nothing", async () => {
  await using folder = await temporaryFolder();
  const dataDir = `${folder.path}/data`;
  const port = ownPort();
  const first = await startTestApiServer({ dataDir, port });
  await using client = HttpKubeClient.to({
    server: first.server.url,
    caCertificates: [first.server.caCertificate],
    token: first.server.token,
  });
  const informer = new Informer({
    client,
    resource: CONFIG_MAPS,
    clock,
    namespaces: ["default"],
    backoff: { initialMs: 50, maxMs: 200 },
  });
  const told: string[] = [];
  informer.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  await using _ = running(informer);
  await informer.ready();
  await client.create(CONFIG_MAPS, configMap("a"));
  await client.create(CONFIG_MAPS, configMap("b"));
  await until(() => told.length === 2);
  await first[Symbol.asyncDispose]();
  await until(() => !informer.connected);

  await using second = await startTestApiServer({ dataDir, port });
  await second.client.delete(CONFIG_MAPS, { namespace: "default", name: "a" });
  await second.client.create(CONFIG_MAPS, configMap("c"));
  await until(() => told.length === 4);
  assertEquals(told, ["added a", "added b", "deleted a", "added c"]);
  assertEquals([informer.connected, informer.error], [true, undefined]);
});

test("Informer follows our API server though an older copy of its database was put in place, versions and all", async () => {
  await using folder = await temporaryFolder();
  const [dataDir, copy] = [`${folder.path}/data`, `${folder.path}/copy`];
  const port = ownPort();
  const first = await startTestApiServer({ dataDir, port });
  await using client = HttpKubeClient.to({
    server: first.server.url,
    caCertificates: [first.server.caCertificate],
    token: first.server.token,
  });
  const backoff = { initialMs: 50, maxMs: 200 };
  const informer = new Informer({ client, resource: CONFIG_MAPS, clock, namespaces: ["default"], backoff });
  const told: string[] = [];
  informer.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  await using _ = running(informer);
  await informer.ready();
  await client.create(CONFIG_MAPS, configMap("a"));
  await backupDatabase(dataDir, copy);
  for (const name of ["b", "c", "d"]) await client.create(CONFIG_MAPS, configMap(name));
  await until(() => told.length === 4);
  await first[Symbol.asyncDispose]();
  await Deno.copyFile(copy, dataDirPaths(dataDir).database);
  await using second = await startTestApiServer({ dataDir, port });
  await second.client.create(CONFIG_MAPS, configMap("e"));
  await until(() => told.length === 8);
  assertEquals(told.slice(4).sort(), ["added e", "deleted b", "deleted c", "deleted d"]);
});

test("Informer begins a list anew whose pages expire in the middle, and shows each object once", async () => {
  const serverClock = new FakeClock(Date.now());
  await using api = await startTestApiServer({ clock: serverClock });
  const names = Array.from({ length: 30 }, (_, i) => `n${10 + i}`);
  for (const name of names) await api.client.create(CONFIG_MAPS, configMap(name));
  const pages: string[] = [];
  let expiring = 3;
  const list: KubeClient["list"] = async (resource, options) => {
    if (options?.continueToken && expiring > 0) {
      expiring--;
      await api.client.delete(CONFIG_MAPS, { namespace: "default", name: names.shift()! });
      const isKept = () => api.client.list(resource, options).then(() => true, () => false);
      while (await isKept()) await serverClock.advance(60_000);
    }
    return await api.client.list(resource, options).then((page) => {
      pages.push(options?.continueToken ? "next" : "first");
      return page;
    }, (error) => {
      pages.push(String(error.code));
      throw error;
    });
  };
  const client = { list, watch: api.client.watch.bind(api.client) } as unknown as KubeClient;
  const backoff = { initialMs: 10, maxMs: 20 };
  const informer = new Informer({
    client,
    resource: CONFIG_MAPS,
    clock,
    namespaces: ["default"],
    pageSize: 12,
    backoff,
  });
  const told: string[] = [];
  informer.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  await using _ = running(informer);
  await informer.ready();
  assertEquals(pages, ["first", "410", "first", "410", "first", "410", "first", "next", "next"]);
  // The namespace has a ConfigMap of its own.
  assertEquals(told.filter((line) => / n\d+$/.test(line)), names.map((name) => `added ${name}`));
});

test("Manager hands the leadership of our API server's Lease over, and its Events say so", async () => {
  await using api = await startTestApiServer();
  const start = (identity: string) => {
    const { client } = api;
    const recorder = new EventRecorder({ client, clock, component: "manager" });
    const election = new LeaderElection({
      ...TIMINGS,
      client,
      clock,
      namespace: "default",
      name: "lock",
      identity,
      recorder,
    });
    return { election, manager: running(new Manager({ clock }).add(recorder).add(election)) };
  };
  const first = start("first");
  await first.election.ready();
  const second = start("second");
  await until(() => second.election.leader === "first");
  assertEquals([first.election.isLeader, second.election.isLeader], [true, false]);
  await first.manager[Symbol.asyncDispose]();
  await second.election.ready();
  second.election.guard();
  await second.manager[Symbol.asyncDispose]();
});
