import { assert, assertEquals } from "@std/assert";
import { JOBS } from "../../src/kube/resource.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { shareOf } from "../support/share.ts";
import { test } from "../support/test.ts";
import { createCronJobs, EVERY_MS, startController } from "./support/vanishing_cron_jobs.ts";
import { VanishingJobs } from "./support/vanishing_jobs.ts";

const TIMES = shareOf(2_000);
const CRON_JOBS = 50;

test("With neverTwice no slot starts twice where Jobs are deleted, and controllers killed, before a status", async () => {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: folder.path });
  const { client, address: { kubeconfigPath } } = server;
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const cronJobs = await createCronJobs(client, { count: CRON_JOBS, neverTwice: true });
  await using history = new VanishingJobs(client, cronJobs.map(({ metadata }) => metadata.name));
  const start = () => startController(kubeconfigPath, "--never-twice");

  let hits = 0, kills = 0;
  for (; hits < TIMES; kills++) {
    await using controller = start();
    const aim = history.jobs.length + 1 + Math.floor(Math.random() * CRON_JOBS);
    await history.until("the next burst", () => history.jobs.length >= aim);
    await controller[Symbol.asyncDispose]();
    await eventually(
      "all Jobs are deleted",
      async () => (await client.list(JOBS)).items.every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    );
    hits += history.unrecorded().length;
    history.generation++;
  }
  await using _controller = start();
  const startedAt = Date.now();
  await history.until("all runs are recorded", () => history.hasRecordedSince(startedAt));

  for (const { metadata: { name, creationTimestamp } } of cronJobs) {
    const started = history.jobs.filter(({ cronJob }) => cronJob === name).map(({ slot }) => slot);
    assertEquals(started.length, new Set(started).size, `${name}: slots with two Jobs`);
    const first = Date.parse(creationTimestamp) + EVERY_MS;
    for (let slot = first; slot <= history.lastRecorded(name); slot += EVERY_MS) {
      assert(started.includes(slot), `${name}: no Job of ${new Date(slot).toISOString()}`);
    }
  }
  const what = `${hits} times a Job was deleted, and its controller killed, before a status`;
  console.log(`${kills} kills, ${history.jobs.length} Jobs: ${what}`);
});
