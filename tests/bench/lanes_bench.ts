// What neighbours of a slow namespace notice: 200 Jobs created behind a webhook that takes 9 s, beside 100 in others. Then
// how fast 1,000 Jobs are created on our own API server, in a process of its own, by how many are in flight.
//
//   deno task bench:lanes

import process from "node:process";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import type { Unstored } from "../../src/kube/object.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { must } from "../support/expected.ts";

const SLOW = 200;
const SLOW_ANSWER_MS = 9_000;
const OTHERS = 100;
const ANSWER_MS = 10;
/** The others come after the slow ones that leave at once. */
const BEHIND_MS = 100;
const CREATIONS = 1_000;

await neighbours();
await creations();

async function neighbours(): Promise<void> {
  const rows: Record<string, unknown>[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body = await request.text();
    const answerMs = request.url.includes("/slow") ? SLOW_ANSWER_MS : ANSWER_MS;
    await new Promise((resolve) => setTimeout(resolve, answerMs));
    return new Response(body, { status: 201 });
  });
  for (const slowNamespaces of [1, 8]) {
    await using client = HttpKubeClient.to({ server: `http://127.0.0.1:${server.addr.port}` });
    for (const round of ["first burst", "next burst"]) {
      const end = new AbortController();
      const slow = Array.from({ length: SLOW }, (_, i) => create(client, `slow-${i % slowNamespaces}`, i, end.signal));
      await new Promise((resolve) => setTimeout(resolve, BEHIND_MS));
      const lateMs = await Promise.all(Array.from({ length: OTHERS }, async (_, i) => {
        const wantedAt = performance.now();
        await create(client, `other-${i}`, i);
        return performance.now() - wantedAt - ANSWER_MS;
      }));
      lateMs.sort((a, b) => a - b);
      rows.push({
        "slow namespaces": slowNamespaces,
        round,
        "others late, median": `${must(lateMs[OTHERS / 2]).toFixed(0)} ms`,
        "others late, most": `${must(lateMs[OTHERS - 1]).toFixed(0)} ms`,
      });
      end.abort();
      await Promise.allSettled(slow);
    }
  }
  console.table(rows);
}

async function creations(): Promise<void> {
  const rows: Record<string, unknown>[] = [];
  const dataDir = await Deno.makeTempDir({ prefix: "cronjob-controller-bench-" });
  {
    await using server = await ApiServerProcess.start({ dataDir, controllers: [] });
    const { url, caCertificate, token } = server.address;
    let next = 0;
    for (const maxInFlight of [64, 8, 16, 32, 64, 128, 256]) {
      await using client = HttpKubeClient.to({ server: url, caCertificates: [caCertificate], token }, { maxInFlight });
      const began = performance.now();
      const cpuBefore = cpuMs();
      await Promise.all(Array.from({ length: CREATIONS }, () => create(client, "default", next++)));
      rows.push({
        "in flight": maxInFlight,
        "creations/s": Math.round(CREATIONS / (performance.now() - began) * 1_000),
        "client's CPU": `${Math.round((cpuMs() - cpuBefore) / CREATIONS * 1_000)} µs each`,
      });
    }
  }
  await Deno.remove(dataDir, { recursive: true });
  // The first row is the warm-up.
  console.table(rows.slice(1));
}

function create(client: HttpKubeClient, namespace: string, index: number, signal?: AbortSignal): Promise<Job> {
  const job: Unstored<Job> = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: `job-${index}`, namespace },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } },
  };
  return client.create(JOBS, job, { lane: "run", signal });
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
