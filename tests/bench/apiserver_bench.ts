// How fast the embedded API server is. The server is a process of its own, the clients share this one.
import { CONFIG_MAPS, type ConfigMap, JOBS } from "../../src/kube/resource.ts";
import type { Unstored } from "../../src/kube/object.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { must } from "../support/expected.ts";
import { lines } from "../support/lines.ts";

const CLIENTS = 50;
const CREATIONS = 10_000;
const LISTS = 50;
const WATCHERS = 1_000;
const EVENTS = 20;

const rows: { measure: string; value: string }[] = [];
const dataDir = await Deno.makeTempDir({ prefix: "cronjob-controller-bench-" });
{
  await using server = await started("new data");
  await creations(server, "ConfigMaps", (name) => configMap(name));
  await creations(server, "Jobs", (name) => job(name));
  await memory(server, `with ${2 * CREATIONS} objects, just created`);
  await lists(server);
  await watchers(server);
  await memory(server, "after lists and watches");
}
{
  await using server = await started(`${2 * CREATIONS} objects`);
  await memory(server, `with ${2 * CREATIONS} objects, just read`);
}
await Deno.remove(dataDir, { recursive: true });
console.table(rows);

async function started(holding: string): Promise<ApiServerProcess> {
  const begun = performance.now();
  const server = await ApiServerProcess.start({ dataDir, controllers: ["gc"] });
  rows.push({ measure: `time to ready, ${holding}`, value: `${(performance.now() - begun).toFixed(0)} ms` });
  return server;
}

async function memory(server: ApiServerProcess, when: string): Promise<void> {
  const bytes = await residentBytes(server.pid);
  rows.push({ measure: `resident memory ${when}`, value: `${(bytes / 1e6).toFixed(0)} MB` });
}

async function creations(server: ApiServerProcess, what: string, make: (name: string) => unknown): Promise<void> {
  const http = Deno.createHttpClient({ caCerts: [server.address.caCertificate], poolMaxIdlePerHost: CLIENTS });
  const path = what === "Jobs" ? "/apis/batch/v1/namespaces/default/jobs" : "/api/v1/namespaces/default/configmaps";
  const url = server.address.url + path;
  const headers = { authorization: `Bearer ${server.address.token}`, "content-type": "application/json" };
  const before = await residentBytes(server.pid);
  const cpuBefore = await cpuSeconds(server.pid);
  const started = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    for (let index = next++; index < CREATIONS; index = next++) {
      const body = JSON.stringify(make(`bench-${index}`));
      const response = await fetch(url, { method: "POST", headers, body, client: http });
      if (response.status !== 201) throw new Error(await response.text());
      await response.body?.cancel();
    }
  }));
  const seconds = (performance.now() - started) / 1000;
  const cpu = await cpuSeconds(server.pid) - cpuBefore;
  const bytes = (await residentBytes(server.pid) - before) / CREATIONS;
  http.close();
  rows.push(
    { measure: `${what}: durable creations/s, ${CLIENTS} clients`, value: (CREATIONS / seconds).toFixed(0) },
    { measure: `${what}: server CPU a creation`, value: `${(cpu / CREATIONS * 1e6).toFixed(0)} µs` },
    { measure: `${what}: growth of resident memory an object`, value: `${(bytes / 1000).toFixed(1)} kB` },
  );
}

async function lists(server: ApiServerProcess): Promise<void> {
  const started = performance.now();
  for (let index = 0; index < LISTS; index++) await server.client.list(JOBS, { namespace: "default" });
  const ms = (performance.now() - started) / LISTS;
  rows.push({ measure: `list of ${CREATIONS} Jobs, whole, read by the client`, value: `${ms.toFixed(0)} ms` });
  const pageStarted = performance.now();
  for (let index = 0; index < LISTS; index++) await server.client.list(JOBS, { namespace: "default", limit: 500 });
  rows.push({
    measure: "first page of 500 Jobs",
    value: `${((performance.now() - pageStarted) / LISTS).toFixed(1)} ms`,
  });
}

async function watchers(server: ApiServerProcess): Promise<void> {
  const { metadata: { resourceVersion } } = await server.client.list(CONFIG_MAPS, { namespace: "default", limit: 1 });
  const http = Deno.createHttpClient({
    caCerts: [server.address.caCertificate],
    poolMaxIdlePerHost: WATCHERS,
    http2: false,
  });
  const stop = new AbortController();
  let delivered = 0;
  let lastAt = 0;
  const url = `${server.address.url}/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=${resourceVersion}`;
  const open = Array.from({ length: WATCHERS }, async () => {
    const headers = { authorization: `Bearer ${server.address.token}` };
    const response = await fetch(url, { headers, client: http, signal: stop.signal });
    // Not the promise itself, which would be waited for.
    const reading = (async () => {
      try {
        for await (const _line of lines(response.body!)) {
          delivered++;
          lastAt = performance.now();
        }
      } catch {
        // Stopped below.
      }
    })();
    return { reading };
  });
  const readings = await Promise.all(open);
  const delays: number[] = [];
  const cpuBefore = await cpuSeconds(server.pid);
  for (let event = 1; event <= EVENTS; event++) {
    const started = performance.now();
    await server.client.create(CONFIG_MAPS, configMap(`watched-${event}`));
    while (delivered < event * WATCHERS) await new Promise((resolve) => setTimeout(resolve, 1));
    delays.push(lastAt - started);
  }
  const cpu = await cpuSeconds(server.pid) - cpuBefore;
  stop.abort();
  await Promise.all(readings.map(({ reading }) => reading));
  http.close();
  delays.sort((a, b) => a - b);
  rows.push(
    {
      measure: `one event to ${WATCHERS} watchers: last delivery, median`,
      value: `${must(delays[EVENTS / 2]).toFixed(0)} ms`,
    },
    {
      measure: `one event to ${WATCHERS} watchers: last delivery, worst`,
      value: `${must(delays[EVENTS - 1]).toFixed(0)} ms`,
    },
    { measure: `one event to ${WATCHERS} watchers: server CPU`, value: `${(cpu / EVENTS * 1000).toFixed(1)} ms` },
  );
}

function configMap(name: string): Unstored<ConfigMap> {
  const data = { text: "x".repeat(500) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data };
}

function job(name: string) {
  const containers = [{ name: "main", image: "busybox:1.36", command: ["sh", "-c", "date; sleep 1"] }];
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default", labels: { app: "bench" } },
    spec: { backoffLimit: 2, template: { spec: { restartPolicy: "Never", containers } } },
  };
}

async function residentBytes(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024;
}

async function cpuSeconds(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
