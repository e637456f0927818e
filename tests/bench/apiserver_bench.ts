// How fast the embedded API server is. The server is a process of its own, the clients share this one.
import { CONFIG_MAPS, type ConfigMap, JOBS } from "../../src/kube/resource.ts";
import type { Unstored } from "../../src/kube/object.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { jobOf } from "../support/job.ts";
import { lines } from "../support/lines.ts";
import { createByFetch, JOB_SPEC } from "./support/measured_controller.ts";
import { median, quantile } from "./support/statistics.ts";
import { usageOf } from "./support/usage.ts";

const CLIENTS = 50;
const CREATIONS = 10_000;
const LISTS = 50;
const WATCHERS = 1_000;
const EVENTS = 20;

const rows: { measure: string; value: string }[] = [];
const dataDir = await Deno.makeTempDir({ prefix: "cronjob-controller-bench-" });
{
  await using server = await started("new data");
  await creations(server, "ConfigMaps", configMap);
  await creations(server, "Jobs", (name) => jobOf({ name, labels: { app: "bench" }, spec: JOB_SPEC }));
  memory(server, `with ${2 * CREATIONS} objects, just created`);
  await lists(server);
  await watchers(server);
  memory(server, "after lists and watches");
}
{
  await using server = await started(`${2 * CREATIONS} objects`);
  memory(server, `with ${2 * CREATIONS} objects, just read`);
}
await Deno.remove(dataDir, { recursive: true });
console.table(rows);

async function started(holding: string): Promise<ApiServerProcess> {
  const begun = performance.now();
  const server = await ApiServerProcess.start({ dataDir, controllers: ["gc"] });
  rows.push({ measure: `time to ready, ${holding}`, value: `${(performance.now() - begun).toFixed(0)} ms` });
  return server;
}

function memory(server: ApiServerProcess, when: string): void {
  rows.push({ measure: `resident memory ${when}`, value: `${usageOf(server.pid).residentMb.toFixed(0)} MB` });
}

async function creations(server: ApiServerProcess, what: string, make: (name: string) => object): Promise<void> {
  const path = what === "Jobs" ? "/apis/batch/v1/namespaces/default/jobs" : "/api/v1/namespaces/default/configmaps";
  const { url, caCertificate, token } = server.address;
  const connection = { server: url, caCertificates: [caCertificate], headers: { authorization: `Bearer ${token}` } };
  const before = usageOf(server.pid);
  const answeredMs = await createByFetch(connection, path, {
    count: CREATIONS,
    width: CLIENTS,
    make: (i) => make(`bench-${i}`),
  });
  const seconds = quantile(answeredMs, 1) / 1000;
  const after = usageOf(server.pid);
  const [cpu, megabytes] = [after.cpuSeconds - before.cpuSeconds, after.residentMb - before.residentMb];
  rows.push(
    { measure: `${what}: durable creations/s, ${CLIENTS} clients`, value: (CREATIONS / seconds).toFixed(0) },
    { measure: `${what}: server CPU a creation`, value: `${(cpu / CREATIONS * 1e6).toFixed(0)} µs` },
    {
      measure: `${what}: growth of resident memory an object`,
      value: `${(megabytes / CREATIONS * 1e3).toFixed(1)} kB`,
    },
  );
}

async function lists(server: ApiServerProcess): Promise<void> {
  const eachMs = async (page: { limit?: number } = {}) => {
    const began = performance.now();
    for (let index = 0; index < LISTS; index++) await server.client.list(JOBS, { namespace: "default", ...page });
    return `${((performance.now() - began) / LISTS).toFixed(1)} ms`;
  };
  rows.push({ measure: `list of ${CREATIONS} Jobs, whole, read by the client`, value: await eachMs() });
  rows.push({ measure: "first page of 500 Jobs", value: await eachMs({ limit: 500 }) });
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
  const headers = { authorization: `Bearer ${server.address.token}` };
  const responses = await Promise.all(
    Array.from({ length: WATCHERS }, () => fetch(url, { headers, client: http, signal: stop.signal })),
  );
  const reading = responses.map(async ({ body }) => {
    for await (const _line of lines(body!)) {
      delivered++;
      lastAt = performance.now();
    }
  });
  const delays: number[] = [];
  const cpuBefore = usageOf(server.pid).cpuSeconds;
  for (let event = 1; event <= EVENTS; event++) {
    const started = performance.now();
    await server.client.create(CONFIG_MAPS, configMap(`watched-${event}`));
    while (delivered < event * WATCHERS) await new Promise((resolve) => setTimeout(resolve, 1));
    delays.push(lastAt - started);
  }
  const cpu = usageOf(server.pid).cpuSeconds - cpuBefore;
  stop.abort();
  await Promise.allSettled(reading);
  http.close();
  const what = `one event to ${WATCHERS} watchers`;
  rows.push(
    { measure: `${what}: last delivery, median`, value: `${median(delays).toFixed(0)} ms` },
    { measure: `${what}: last delivery, worst`, value: `${quantile(delays, 1).toFixed(0)} ms` },
    { measure: `${what}: server CPU`, value: `${(cpu / EVENTS * 1000).toFixed(1)} ms` },
  );
}

function configMap(name: string): Unstored<ConfigMap> {
  const data = { text: "x".repeat(500) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data };
}
