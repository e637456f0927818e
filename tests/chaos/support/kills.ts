import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { loadConnection } from "../../../src/kube/connection.ts";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { type Job, JOBS } from "../../../src/kube/resource.ts";
import { must } from "../../support/expected.ts";
import { eventually, Standalone, temporaryFolder } from "../../support/program.ts";
import { processesOf } from "../../support/processes.ts";
import { cronJobOf, shellTemplate } from "../../support/cron_job.ts";

/** CronJobs that fire by the second: fast and slow commands, both ends of the history limit, and Forbid. */
const CRON_JOBS: readonly FiringCronJob[] = [
  { name: "each-second", everySeconds: 1, policy: "Allow", history: 100_000, runSeconds: 0 },
  { name: "caught-up", everySeconds: 2, policy: "Allow", catchUp: "All", history: 100_000, runSeconds: 0 },
  { name: "no-history", everySeconds: 1, policy: "Allow", history: 1, runSeconds: 0 },
  { name: "slow", everySeconds: 2, policy: "Allow", history: 100_000, runSeconds: 3 },
  { name: "forbidding", everySeconds: 2, policy: "Forbid", history: 100_000, runSeconds: 3 },
];

/** A CronJob that does nothing but a back-fill, of so many scheduled times for each kill: no kill but comes amid it. */
const BACKFILL = { name: "past", slotsPerKill: 20, maxActive: 4, runSeconds: 0.4, history: 3 };

const NAMESPACE = "default";
const DEADLINE_SECONDS = 120;

interface FiringCronJob {
  readonly name: string;
  readonly everySeconds: number;
  readonly policy: "Allow" | "Forbid";
  readonly catchUp?: "All";
  readonly history: number;
  readonly runSeconds: number;
}

interface Downtime {
  readonly from: number;
  readonly to: number;
}

/** Kills the whole program `kills` times at random moments, and proves that no run was doubled and none lost, nor any of a back-fill. */
export async function proveThatKillsAreHarmless(kills: number): Promise<void> {
  await using folder = await temporaryFolder();
  const data = `${folder.path}/data`;
  const witness = `${folder.path}/witness`;
  await Deno.writeTextFile(witness, "");
  await Deno.writeTextFile(`${folder.path}/cronjobs.json`, JSON.stringify(manifests(witness, kills)));

  const downtimes: Downtime[] = [];
  let standalone = await Standalone.start(data, ["--apply-once", `${folder.path}/cronjobs.json`]);
  for (let kill = 0; kill < kills; kill++) {
    await pause(500 + Math.random() * 3_500);
    const from = Date.now();
    await standalone.program[Symbol.asyncDispose]();
    await pause(Math.random() * 3_000);
    standalone = await Standalone.start(data);
    downtimes.push({ from, to: Date.now() });
  }
  await using last = standalone;
  await using client = HttpKubeClient.to(await loadConnection(last));
  const startedAt = downtimes.at(-1)?.to ?? 0;
  await eventually("all go on, and have fired often enough to prove something", async () => {
    const jobs = await jobsOf(client);
    return CRON_JOBS.every((cronJob) => {
      const own = jobs.filter((job) => isOf(cronJob, job));
      return own.some((job) => slotOf(job) > startedAt) && own.length > Math.min(kills, cronJob.history - 1);
    });
  }, 600_000);
  // Missed runs start one after the other.
  await eventually("no missed run waits in line", async () => {
    const jobs = await jobsOf(client), cronJobs = CRON_JOBS.filter(({ catchUp }) => catchUp);
    const missing = cronJobs.map(async (cronJob) =>
      slotsWithout(cronJob, jobs, (await stored(cronJob, client)).metadata)
    );
    return (await Promise.all(missing)).flat().length === 0;
  }, 600_000);
  for (const { name } of CRON_JOBS) {
    await client.patch(TUTORIAL.resource, named(name), { type: "merge", body: { spec: { suspend: true } } });
  }
  await eventually("the back-fill is complete", async () => {
    return (await stored(BACKFILL, client)).status?.backfill?.state === "Completed";
  }, 600_000);
  const jobs = await eventually("every Job has finished", async () => {
    const jobs = await jobsOf(client);
    return jobs.every((job) => isFinished(job)) && jobs;
  });

  assertEquals(jobs.filter((job) => !isComplete(job)).map(nameOf), [], "Jobs that failed: a process was lost");
  for (const cronJob of CRON_JOBS) await proveSlots(cronJob, jobs, downtimes, client);
  await proveProcesses(witness, jobs);
  await proveBackfill(witness, kills * BACKFILL.slotsPerKill);
  await last[Symbol.asyncDispose]();
  assertEquals(await processesOf(folder.path), [], "processes left behind");
}

async function jobsOf(client: HttpKubeClient): Promise<readonly Job[]> {
  return (await client.list(JOBS, { namespace: NAMESPACE })).items;
}

function named(name: string) {
  return { namespace: NAMESPACE, name };
}

function isOf({ name }: FiringCronJob, job: Job): boolean {
  return nameOf(job).startsWith(`${name}-`);
}

/**
 * No slot has two Jobs. None is without one where all are caught up with; elsewhere each that is without one is counted as
 * missed.
 */
async function proveSlots(
  cronJob: FiringCronJob,
  jobs: readonly Job[],
  downtimes: readonly Downtime[],
  client: HttpKubeClient,
): Promise<void> {
  const started = jobs.filter((job) => isOf(cronJob, job)).map(slotOf);
  assertEquals(new Set(started).size, started.length, `${cronJob.name}: a slot with two Jobs`);
  if (cronJob.history < 1_000 || cronJob.policy === "Forbid") return;

  const { metadata, status } = await stored(cronJob, client);
  const without = slotsWithout(cronJob, jobs, metadata);
  if (cronJob.catchUp) return assertEquals([without, status?.counts?.missed], [[], 0], `${cronJob.name}: slots lost`);
  const about = `${cronJob.name}: without a Job: ${without}; downtimes: ${JSON.stringify(downtimes)}`;
  assertEquals(status?.counts?.missed, without.length, about);
  assert(started.length > downtimes.length, `${cronJob.name} fired too seldom to prove anything`);
}

function stored({ name }: { readonly name: string }, client: HttpKubeClient): Promise<CronJobObject> {
  return client.get(TUTORIAL.resource, named(name));
}

/** Returns the slots before the last one started that have no Job. */
function slotsWithout(
  cronJob: FiringCronJob,
  jobs: readonly Job[],
  { creationTimestamp }: { readonly creationTimestamp: string },
): string[] {
  const started = new Set(jobs.filter((job) => isOf(cronJob, job)).map(slotOf));
  const everyMs = cronJob.everySeconds * 1_000, last = Math.max(...started);
  const without: string[] = [];
  for (let slot = Date.parse(creationTimestamp) + everyMs; slot < last; slot += everyMs) {
    if (!started.has(slot)) without.push(new Date(slot).toISOString());
  }
  return without;
}

/** Each process ran once, and to its end; those of the Forbid CronJob never at the same time. */
async function proveProcesses(witness: string, jobs: readonly Job[]): Promise<void> {
  const lines = (await Deno.readTextFile(witness)).trim().split("\n").map((line) => line.split(" "));
  const of = (word: string) => lines.filter(([first]) => first === word).map(([, job]) => job).sort();
  const starts = of("start");
  assertEquals([...new Set(starts)], starts, "a Job whose process ran twice");
  assertEquals(of("end"), starts, "a process that did not reach its end");
  for (const job of jobs) assert(starts.includes(nameOf(job)), `${nameOf(job)} is complete, but no process ran`);

  let running = 0;
  for (const [word, job = ""] of lines) {
    if (!job.startsWith("forbidding-")) continue;
    running += word === "start" ? 1 : -1;
    assert(running <= 1, `${job} started while another run of the Forbid CronJob was active`);
  }
}

/** Each of its scheduled times ran in one process, although its Jobs were cleaned up meanwhile. */
async function proveBackfill(witness: string, slots: number): Promise<void> {
  const lines = (await Deno.readTextFile(witness)).split("\n");
  const started = lines.filter((line) => line.startsWith(`start ${BACKFILL.name}-`));
  assertEquals(new Set(started).size, slots, "scheduled times of the back-fill that ran");
  assertEquals(started.length, slots, "processes of the back-fill");
}

function backfillManifest(witness: string, slots: number): unknown {
  const minute = Math.floor(Date.now() / 60_000);
  const minutesAgo = (minutes: number) => new Date((minute - minutes) * 60_000).toISOString();
  const backfill = {
    id: "all-of-it",
    from: minutesAgo(slots + 10),
    to: minutesAgo(10),
    maxActive: BACKFILL.maxActive,
    maxSlots: slots,
  };
  return cronJobOf(TUTORIAL, {
    name: BACKFILL.name,
    spec: {
      schedule: "* * * * *",
      suspend: true,
      successfulJobsHistoryLimit: BACKFILL.history,
      backfill,
      jobTemplate: witnessed(witness, BACKFILL.runSeconds),
    },
  });
}

function manifests(witness: string, kills: number): unknown {
  return {
    apiVersion: "v1",
    kind: "List",
    items: [
      ...CRON_JOBS.map((cronJob) => firingManifest(cronJob, witness)),
      backfillManifest(witness, kills * BACKFILL.slotsPerKill),
    ],
  };
}

function firingManifest(
  { name, everySeconds, policy, catchUp, history, runSeconds }: FiringCronJob,
  witness: string,
): unknown {
  return cronJobOf(TUTORIAL, {
    name,
    spec: {
      schedule: `@every ${everySeconds}s`,
      startingDeadlineSeconds: DEADLINE_SECONDS,
      concurrencyPolicy: policy,
      catchUp: catchUp && { policy: catchUp },
      successfulJobsHistoryLimit: history,
      jobTemplate: witnessed(witness, runSeconds),
    },
  });
}

function witnessed(witness: string, runSeconds: number) {
  const fieldPath = "metadata.labels['batch.kubernetes.io/job-name']";
  return shellTemplate(`echo start $JOB >> ${witness}; sleep ${runSeconds}; echo end $JOB >> ${witness}`, {
    env: [{ name: "JOB", valueFrom: { fieldRef: { fieldPath } } }],
  });
}

function slotOf(job: Job): number {
  return Date.parse(must(job.metadata.annotations?.[TUTORIAL.scheduledTimeAnnotation]));
}

function nameOf(job: Job): string {
  return job.metadata.name;
}

function isFinished(job: Job): boolean {
  return job.status?.conditions?.some(({ type, status }) => /^(Complete|Failed)$/.test(type) && status === "True") ??
    false;
}

function isComplete(job: Job): boolean {
  return job.status?.conditions?.some(({ type, status }) => type === "Complete" && status === "True") ?? false;
}
