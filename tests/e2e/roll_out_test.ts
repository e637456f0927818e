import { assertEquals } from "@std/assert";
import { DEFINED_FLAVOURS, definitionOf } from "../../src/cronjob/api/crd.ts";
import { NAME_HOLD } from "../../src/cronjob/api/annotations.ts";
import { BATCH, type Flavour, FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { controllerOf } from "../../src/kube/object.ts";
import { JOBS, LEASES } from "../../src/kube/resource.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { PATIENT_LEASE, Replica } from "../support/replica.ts";
import { test } from "../support/test.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";

/** In a roll-out each takes the place of the one before it. */
const ROLL_OUT: readonly (readonly Flavour[])[] = [[TUTORIAL], FLAVOURS, [TUTORIAL]];

test("replicas compete for one Lease whichever APIs they run, while a roll-out adds some and takes them away", async () => {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: folder.path });
  const { client, address: { kubeconfigPath: kubeconfig } } = server;
  for (const flavour of DEFINED_FLAVOURS) await client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(flavour));
  for (const flavour of FLAVOURS) await createCronJob(server, flavour);
  await using replicas = new AsyncDisposableStack();
  let leader: Replica | undefined;
  for (const apis of ROLL_OUT) {
    const args = [...PATIENT_LEASE, "--never-twice", ...apis.map(({ apiVersion }) => `--api=${apiVersion}`)];
    const next = new Replica({ kubeconfig, namespace: "default", args });
    replicas.use(next.program);
    if (leader) {
      await next.standsBy();
      assertEquals(/Became leader|Started a run/.exec(next.program.output), null, "two lead at the same time");
      assertEquals((await leader.program.end("SIGTERM")).code, 0, leader.program.output);
    }
    await next.program.waitFor(/Became leader/);
    // It has listed anew what the one before it did.
    await next.program.waitFor(/Took over/);
    const before = await newestJobs(server);
    await trigger(server, apis);
    await eventually(`runs of ${apis.length} APIs`, async () => {
      const now = await newestJobs(server);
      return apis.every(({ controllerName }) => now[controllerName] !== before[controllerName]);
    });
    const { items } = await client.list(JOBS, { namespace: "default" });
    const ofTutorial = items.filter((job) => controllerOf(job)?.name === TUTORIAL.controllerName);
    assertEquals(ofTutorial.filter(({ metadata }) => !metadata.finalizers?.includes(NAME_HOLD)), []);
    leader = next;
  }
  const leases = await client.list(LEASES, { namespace: "default" });
  assertEquals(leases.items.map(({ metadata }) => metadata.name), ["cronjob-controller"]);
  await leader!.program.end("SIGTERM");
});

/** Runs each second; in `batch/v1`, where a minute has one run, by hand as well. */
async function createCronJob({ client }: ApiServerProcess, flavour: Flavour): Promise<void> {
  const spec = { schedule: "@every 1s", ...(flavour.extrasIn === "spec" && { neverTwice: true }) };
  const given = { name: flavour.controllerName, spec };
  await client.create(flavour.resource, cronJobOf(flavour, given));
}

async function trigger({ client }: ApiServerProcess, apis: readonly Flavour[]): Promise<void> {
  const annotations = { "cronjob-controller.dev/trigger": apis.map(({ controllerName }) => controllerName).join() };
  const name = { name: BATCH.controllerName, namespace: "default" };
  await client.patch(BATCH.resource, name, { type: "merge", body: { metadata: { annotations } } });
}

/** The newest Job of each CronJob, by the CronJob's name. */
async function newestJobs({ client }: ApiServerProcess): Promise<Record<string, string>> {
  const { items } = await client.list(JOBS, { namespace: "default" });
  const sorted = items.map(({ metadata }) => metadata).sort((a, b) =>
    Number(a.resourceVersion) - Number(b.resourceVersion)
  );
  return Object.fromEntries(sorted.map((metadata) => [controllerOf({ metadata })!.name, metadata.name]));
}
