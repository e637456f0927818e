// How late neighbours of a slow namespace start, beside how late they start without it: 12 CronJobs of all policies that catch up with all, and
// thousands in another namespace whose creations of Jobs are answered after 10 s. The API server, a front that delays, and the
// controller are processes of their own but for the front.
//
//   deno task bench:fairness [COUNT]
import { setTimeout as pause } from "node:timers/promises";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { JOBS, NAMESPACES } from "../../src/kube/resource.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { controllerOf } from "../../src/kube/object.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { temporaryFolder } from "../support/program.ts";
import { startSlowFront } from "../support/slow_front.ts";
import { inParallel } from "./support/in_parallel.ts";
import { startController } from "./support/measured_controller.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { kubeconfig } from "../support/kubeconfig.ts";

const [COUNT = 1_000] = Deno.args.map(Number);
/** It stands first in a list of all. */
const SLOW = "a-slow";
const OTHER = "other";
/** How long nothing runs them before. */
const MISSED_MS = 30_000;
const POLICIES = ["Allow", "Forbid", "Replace", "Queue"] as const;
const NEIGHBOURS = 12;
const DELAY_MS = 10_000;
const GIVEN_UP_MS = 120_000;

const OCCASIONS = [
  { name: "start", flags: [], ready: "Reconciling" },
  { name: "fail-over", flags: ["--leader-elect", "--leader-election-namespace", "default"], ready: "Took over" },
  { name: "edit", flags: [], ready: "Reconciling" },
] as const;

/** CronJobs that have several runs to catch up with a while after. */
async function furnish(client: KubeClient, namespace: string, count: number, suspend: boolean): Promise<void> {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const common = { schedule: "@every 10s", suspend, catchUp: { policy: "All" as const } };
  await inParallel(count, 32, (i) => {
    const spec = { ...common, concurrencyPolicy: POLICIES[i % POLICIES.length] };
    return client.create(PRODUCTION.resource, cronJobOf(PRODUCTION, { name: `c${i}`, namespace, spec }));
  });
}

async function resume(client: KubeClient, namespace: string, count: number): Promise<void> {
  const patch = { type: "merge", body: { spec: { suspend: false } } } as const;
  await inParallel(count, 32, (i) => client.patch(PRODUCTION.resource, { name: `c${i}`, namespace }, patch));
}

/** How long it takes until all neighbours have started. */
async function lastStartMs(client: KubeClient): Promise<number> {
  const began = performance.now();
  for (;;) {
    const ms = performance.now() - began;
    const { items } = await client.list(JOBS, { namespace: OTHER });
    const started = new Set(items.map((job) => controllerOf(job)?.name));
    if (started.size >= NEIGHBOURS || ms > GIVEN_UP_MS) return ms;
    await pause(20);
  }
}

async function measure({ name, flags, ready }: typeof OCCASIONS[number], slow: number): Promise<number> {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: `${folder.path}/data` });
  const { client } = server;
  await using front = startSlowFront(
    server.address,
    ({ method, path }) => method === "POST" && path.endsWith(`/${SLOW}/jobs`) ? pause(DELAY_MS) : undefined,
  );
  const path = `${folder.path}/kubeconfig`;
  const { token } = server.address;
  await Deno.writeTextFile(path, kubeconfig({ cluster: { server: front.url }, user: { token } }));
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  const isEdit = name === "edit";
  await furnish(client, SLOW, slow, isEdit);
  await furnish(client, OTHER, NEIGHBOURS, isEdit);
  await pause(MISSED_MS);
  await using _controller = await startController({ kubeconfig: path, api: PRODUCTION, flags, ready });
  if (isEdit) {
    await pause(2_000 + slow);
    await resume(client, SLOW, slow);
    await resume(client, OTHER, NEIGHBOURS);
  }
  return await lastStartMs(client);
}

for (const occasion of OCCASIONS) {
  const alone = await measure(occasion, 0);
  const beside = await measure(occasion, COUNT);
  console.log(
    `${occasion.name}: ${NEIGHBOURS} neighbours started within ${Math.round(beside)} ms beside ${COUNT} slow ones, ` +
      `${Math.round(alone)} ms without; ${Math.round(beside - alone)} ms later`,
  );
}
