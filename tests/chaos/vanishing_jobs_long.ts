import { assert, assertEquals } from "@std/assert";
import { JOBS } from "../../src/kube/resource.ts";
import { ApiServerProcess } from "../support/api_server_process.ts";
import { must } from "../support/expected.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { shareOf } from "../support/share.ts";
import { test } from "../support/test.ts";
import { createCronJobs, EVERY_MS, startController } from "./support/vanishing_cron_jobs.ts";
import { type SeenJob, VanishingJobs } from "./support/vanishing_jobs.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";

const KILLS = shareOf(20);
const CRON_JOBS = 100;

test("A slot starts twice only if its Job was gone and the controller killed before a status recorded it; none is lost", async () => {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: folder.path });
  const { client, address: { kubeconfigPath } } = server;
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const cronJobs = await createCronJobs(client, { count: CRON_JOBS, neverTwice: false });
  await using history = new VanishingJobs(client, cronJobs.map(({ metadata }) => metadata.name));

  let unrecordedAtKills = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await using controller = startController(kubeconfigPath);
    const startedAt = Date.now();
    // One burst is left in peace: how long its runs are unrecorded is measured.
    await history.until("all runs are recorded", () => history.hasRecordedSince(startedAt));
    const aim = history.jobs.length + 1 + Math.floor(Math.random() * CRON_JOBS);
    await history.until("the next burst", () => history.jobs.length >= aim);
    await controller[Symbol.asyncDispose]();
    await eventually("all Jobs are gone", async () => (await client.list(JOBS)).items.length === 0);
    unrecordedAtKills += history.unrecorded().length;
    history.generation++;
  }
  await using _controller = startController(kubeconfigPath);
  const startedAt = Date.now();
  await history.until("all runs are recorded", () => history.hasRecordedSince(startedAt));

  const doubles: (readonly [SeenJob, SeenJob])[] = [];
  for (const { metadata: { name, creationTimestamp } } of cronJobs) {
    const jobs = history.jobs.filter(({ cronJob }) => cronJob === name);
    const slots = new Set(jobs.map(({ slot }) => slot));
    const lost: string[] = [];
    for (let slot = Date.parse(creationTimestamp) + EVERY_MS; slot <= history.lastRecorded(name); slot += EVERY_MS) {
      if (!slots.has(slot)) lost.push(new Date(slot).toISOString());
    }
    assertEquals(lost, [], `${name}: slots without a Job`);
    for (const ofSlot of Map.groupBy(jobs, ({ slot }) => slot).values()) {
      ofSlot.slice(1).forEach((job, i) => doubles.push([must(ofSlot[i]), job]));
    }
  }
  const unexplained = doubles.filter(([first, second]) => !isExplained(first, second, history));
  assertEquals(unexplained, [], "started twice, though a status told of it, or within the life of one controller");
  assert(unrecordedAtKills > 0, "no kill came between the creation of a Job and the status that tells of it");

  const twice = new Set(doubles.map(([, { cronJob, slot }]) => `${cronJob} ${slot}`)).size;
  console.log(
    `${KILLS} kills, ${history.jobs.length} Jobs: ${unrecordedAtKills} had no status that told of them when the ` +
      `controller was killed; ${twice} slots started twice. ${unrecordedTimes(history, new Set(doubles.flat()))}`,
  );
});

/** Whether the first Job was gone before the second was made, by another controller, which no status had shown the first. */
function isExplained(first: SeenJob, second: SeenJob, history: VanishingJobs): boolean {
  const recordedVersion = history.recordOf(first)?.version ?? Infinity;
  return (first.goneVersion ?? Infinity) < second.createdVersion && second.createdVersion < recordedVersion &&
    first.generation < second.generation;
}

/** How long a Job of a burst that nothing disturbed was there without a status that had it. */
function unrecordedTimes(history: VanishingJobs, disturbed: ReadonlySet<SeenJob>): string {
  const times = history.jobs.filter((job) => !disturbed.has(job))
    .map((job) => Math.round(history.recordOf(job)!.seenAt - job.seenAt)).sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((share) => times[Math.floor(times.length * share)]);
  return `From a Job to its status in bursts of ${CRON_JOBS}: p50 ${p50} ms, p99 ${p99} ms.`;
}
