// How late neighbours of a slow namespace start, beside how late they start without it: 12 CronJobs of all policies that catch up with all, and
// thousands in another namespace whose creations of Jobs are answered after 10 s. The API server, a front that delays, and the
// controller are processes of their own but for the front.
//
//   deno run -A --no-check tests/bench/fairness_bench.ts [SLOW]
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { apiVersionOf, JOBS, NAMESPACES } from "../../src/kube/resource.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { NO_ENDPOINTS, PROGRAM, RunningProgram, temporaryFolder } from "../support/program.ts";
import { startSlowFront } from "../support/slow_front.ts";
import { JOB_SPEC } from "./support/measured_controller.ts";

const [SLOW = 1_000] = Deno.args.map(Number);
const POLICIES = ["Allow", "Forbid", "Replace", "Queue"] as const;
const NEIGHBOURS = 12;
const DELAY_MS = 10_000;
const GIVEN_UP_MS = 120_000;

const OCCASIONS = [
  { name: "start", flags: [], says: /Reconciling/ },
  { name: "fail-over", flags: ["--leader-elect", "--leader-election-namespace", "default"], says: /Took over/ },
  { name: "edit", flags: [], says: /Reconciling/ },
] as const;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

await using folder = await temporaryFolder();
await using server = await ApiServerProcess.start({ dataDir: folder.path });
const { client } = server;
await using front = startSlowFront(
  server.address,
  ({ method, path }) => method === "POST" && /\/slow-[^/]+\/jobs$/.test(path) ? pause(DELAY_MS) : undefined,
);
const kubeconfig = `${folder.path}/front.json`;
await Deno.writeTextFile(
  kubeconfig,
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "front", cluster: { server: front.url } }],
    users: [{ name: "front", user: { token: server.address.token } }],
    contexts: [{ name: "front", context: { cluster: "front", user: "front" } }],
    "current-context": "front",
  }),
);
await client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));

async function inParallel(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: 32 }, async () => {
    while (next < count) await work(next++);
  }));
}

/** CronJobs whose run of `due` is left to do. */
async function furnish(namespace: string, count: number, { due, suspend }: { due: Date; suspend: boolean }) {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
  await inParallel(count, async (i) => {
    const metadata = { name: `c${i}`, namespace };
    const concurrencyPolicy = POLICIES[i % POLICIES.length];
    await client.create(PRODUCTION.resource, {
      apiVersion: apiVersionOf(PRODUCTION.resource),
      kind: "CronJob",
      metadata,
      spec: {
        schedule,
        timeZone: "Etc/UTC",
        suspend,
        concurrencyPolicy,
        catchUp: { policy: "All" },
        jobTemplate: { spec: JOB_SPEC },
      },
    } as CronJobObject);
  });
}

async function resume(namespace: string, count: number): Promise<void> {
  const patch = { type: "merge", body: { spec: { suspend: false } } } as const;
  await inParallel(count, (i) => client.patch(PRODUCTION.resource, { name: `c${i}`, namespace }, patch));
}

/** How long it takes until all neighbours have started. */
async function lastStartMs(namespace: string): Promise<number> {
  const began = performance.now();
  for (;;) {
    const ms = performance.now() - began;
    const { items } = await client.list(JOBS, { namespace });
    if (items.length >= NEIGHBOURS || ms > GIVEN_UP_MS) return ms;
    await pause(20);
  }
}

async function measure({ name, flags, says }: typeof OCCASIONS[number], slow: number): Promise<number> {
  const suffix = `${name}-${slow}`;
  // After all of them are made, as runs of before are none of theirs.
  const due = new Date(Math.ceil((Date.now() + 5_000 + slow * 10) / 60_000) * 60_000);
  const isEdit = name === "edit";
  const namespaces = { slow: `slow-${suffix}`, other: `other-${suffix}` };
  await furnish(namespaces.slow, slow, { due, suspend: isEdit });
  await furnish(namespaces.other, NEIGHBOURS, { due, suspend: isEdit });
  await pause(due.getTime() + 1_000 - Date.now());
  const log = `${folder.path}/${suffix}.log`;
  const args = ["--kubeconfig", kubeconfig, "--api", apiVersionOf(PRODUCTION.resource), ...NO_ENDPOINTS, ...flags];
  const scope = Object.values(namespaces).flatMap((namespace) => ["--namespace", namespace]);
  const command = ["sh", "-c", `exec "$@" >${log} 2>&1`, "sh", ...PROGRAM, "controller", ...args, ...scope];
  await using _program = new RunningProgram(command);
  while (!says.test(await Deno.readTextFile(log).catch(() => ""))) {
    await pause(10);
  }
  if (isEdit) {
    await pause(2_000 + slow);
    await resume(namespaces.slow, slow);
    await resume(namespaces.other, NEIGHBOURS);
  }
  return await lastStartMs(namespaces.other);
}

for (const occasion of OCCASIONS) {
  const alone = await measure(occasion, 0);
  const beside = await measure(occasion, SLOW);
  console.log(
    `${occasion.name}: ${NEIGHBOURS} neighbours started within ${Math.round(beside)} ms beside ${SLOW} slow ones, ` +
      `${Math.round(alone)} ms without; ${Math.round(beside - alone)} ms later`,
  );
}
