import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import { type Child, readJob } from "../../../src/cronjob/api/job.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { isAmong } from "../../../src/cronjob/decision/stretches.ts";
import { type EpochMs, formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import { applied } from "../../../src/simulate/apply.ts";
import type { DoneRuns } from "../../../src/simulate/runs.ts";
import { simulate } from "../../../src/simulate/simulator.ts";
import { must } from "../../support/expected.ts";
import { Life, type Run } from "../../view/support/truth/life.ts";
import type { World as WorldOfLife } from "../../view/support/truth/world.ts";
import { allRuns } from "./all_runs.ts";
import type { World } from "./worlds.ts";

/** What happened in a span, in words that can be compared. */
export interface Told {
  /** When each run started, and for which time. */
  readonly starts: string[];
  /** Times that got no Job, and why not. */
  readonly refused: string[];
  /** Runs that were ended for a later one, and when. */
  readonly replaced: string[];
}

/** Says how much of a life has happened so far. */
interface Mark {
  readonly runs: number;
  readonly replaced: ReadonlySet<Run>;
}

function markOf({ runs }: Life): Mark {
  return { runs: runs.length, replaced: new Set(runs.filter(({ outcome }) => outcome === "Replaced")) };
}

/** Lets everything happen that comes before an instant, and of that instant only the end of Jobs. */
async function liveUpTo(life: Life, instant: EpochMs): Promise<void> {
  await life.until(instant - 1);
  life.cluster.now = instant;
  life.endJobs();
}

/** What happened from an instant on, after so much had happened. */
function doneIn({ world, cluster, runs, events }: Life, from: EpochMs, before: Mark): Told {
  const started = new Set(runs.map(({ scheduledTime }) => scheduledTime));
  const records = cluster.server.collection("cronjobs").changes.flatMap(({ object }) =>
    (object as CronJobObject).status?.recentRuns ?? []
  );
  const told = events.filter(({ reason }) => reason === "JobAlreadyActive" || reason === "MissSchedule");
  // No Event says so of these.
  const superseded = records.filter(({ reason }) => reason === "Superseded")
    .map(({ scheduledTime }) => ({ scheduledTime: parseTime(scheduledTime), reason: "Superseded" }));
  const { waiting } = readCronJob(world.flavour, cluster.cronJob);
  const first = new Map<EpochMs, string>();
  for (const { scheduledTime, reason } of [...told, ...superseded]) {
    if (scheduledTime === undefined || started.has(scheduledTime) || isAmong(waiting, scheduledTime)) continue;
    if (reason === "Superseded" || !first.has(scheduledTime)) first.set(scheduledTime, reason);
  }
  return {
    starts: runs.slice(before.runs).map(({ scheduledTime, startedAt }) => startText(scheduledTime, startedAt)).sort(),
    refused: [...first].filter(([time]) => time > from).map(([time, reason]) => `${formatTime(time)} ${reason}`).sort(),
    replaced: runs.filter((run) => run.outcome === "Replaced" && !before.replaced.has(run))
      .map(({ scheduledTime, startedAt, endedAt }) =>
        `${startText(scheduledTime, startedAt)} until ${formatTime(must(endedAt))}`
      ).sort(),
  };
}

function startText(slot: EpochMs | undefined, at: EpochMs): string {
  return `${formatTime(at)} for ${slot === undefined ? "somebody" : formatTime(slot)}`;
}

/** What is simulated of a world, and what the controller then does there. */
export async function lived(world: World): Promise<{ done: Told; simulated: Told }> {
  const { flavour, createdAt, durationMs, lifeMs, edit, spanMs } = world;
  const downMs = lifeMs > 0 ? world.downMs : 0;
  const begin = createdAt + lifeMs + downMs;
  await using life = new Life(lifeOf(world, { at: createdAt + lifeMs, downMs }));
  const { server } = life.cluster;
  // A controller that is at work sees the edit.
  if (downMs > 0 && edit) await life.until(begin);
  else if (lifeMs > 0) await liveUpTo(life, begin);
  const jobs = [...server.jobs.values()].map((job) => readJob([flavour], structuredClone(job)));
  const before = markOf(life);
  let cronJob = readCronJob(flavour, structuredClone(life.cluster.cronJob));
  let facts = {};
  if (edit && lifeMs > 0) {
    const spec = { jobTemplate: cronJob.object.spec.jobTemplate, ...edit };
    const manifest = readCronJob(flavour, { ...cronJob.object, spec } as CronJobObject);
    ({ cronJob, facts } = applied(cronJob, manifest, begin));
    server.put("cronjobs", structuredClone(cronJob.object) as CronJobObject);
  }
  const span = { from: begin, to: begin + spanMs };
  const runs = await simulate({ cronJob, jobs, facts, durationMs }, span);
  await liveUpTo(life, span.to);
  return { done: doneIn(life, begin, before), simulated: toldOf(runs, begin, jobs) };
}

/** A life under our controller alone, which is away for a while. */
function lifeOf(
  { flavour, spec, annotations, isTriggered, createdAt, durationMs }: World,
  { at, downMs }: { at: EpochMs; downMs: number },
): WorldOfLife {
  const trigger: Record<string, string> = isTriggered ? { "cronjob-controller.dev/trigger": "now" } : {};
  const outage = { at, do: "outage", who: "ours", seconds: downMs / 1_000, isGivenBack: true } as const;
  return {
    flavour,
    controllers: "ours",
    spec,
    annotations: { ...annotations, ...trigger },
    createdAt,
    asksAt: at,
    durationSeconds: durationMs / 1_000,
    failsEvery: 0,
    incidents: downMs > 0 ? [outage] : [],
    picks: [],
  };
}

function toldOf(done: DoneRuns, begin: EpochMs, jobs: readonly Child[]): Told {
  const before = new Set(jobs.map(({ createdAt, scheduledTime }) => startText(scheduledTime, createdAt!)));
  const all = allRuns(done);
  return {
    starts: all.map(({ scheduledTime, startsAt }) => startText(scheduledTime, startsAt))
      .filter((text) => !before.has(text)).sort(),
    refused: done.refused.filter(({ scheduledTime }) => scheduledTime > begin)
      .map(({ scheduledTime, reason }) => `${formatTime(scheduledTime)} ${reason}`).sort(),
    replaced: all.filter(({ isReplaced }) => isReplaced)
      .map(({ scheduledTime, startsAt, endsAt }) => `${startText(scheduledTime, startsAt)} until ${formatTime(endsAt)}`)
      .sort(),
  };
}
