import { readCronJob } from "../../../../src/cronjob/api/read_cron_job.ts";
import type { EpochMs } from "../../../../src/base/epoch_ms.ts";
import { parseSchedule } from "../../../../src/schedule/parse_schedule.ts";
import { must } from "../../../support/expected.ts";
import { ask, command, imported } from "./answers.ts";
import type { AskedCluster } from "./asked_cluster.ts";
import { differences, type Story, type Tally } from "./judge.ts";
import { Life } from "./life.ts";
import { HOURS_MS, type World } from "./world.ts";

/** Lets a world live, asks about it, lets it live on, and returns the answers that are not so. */
export async function toldAndNotSo(asked: AskedCluster, given: World, tally: Tally): Promise<string[]> {
  const world = await imported(asked, given);
  await using life = new Life(world, (life, incident) => command(asked, life, incident));
  const { asksAt } = world;
  await life.until(asksAt);
  const answers = await ask(asked, life, timesOf(life));
  const { runner, cluster: { server, cronJob: { metadata, spec } } } = life;
  const told = {
    then: structuredClone(life.runs),
    runner,
    kept: new Set([...server.jobs.values()].map(({ metadata }) => metadata.name)),
    isSuspended: spec.suspend === true,
    managed: metadata.annotations?.["cronjob-controller.dev/managed"],
  };
  await life.until(asksAt + HOURS_MS);
  const story: Story = { world, askedAt: asksAt, endsAt: asksAt + HOURS_MS, runs: life.runs, ...told };
  return differences(story, answers, tally);
}

/** Times of the six hours before and after: of the spec's schedule, of the one that is followed, and of runs. */
function timesOf({ cluster, world: { picks, flavour, asksAt }, runs }: Life): EpochMs[] {
  const { cronJob } = cluster;
  const { schedule: text, timeZone } = cronJob.spec;
  const reading = readCronJob(flavour, structuredClone(cronJob)).schedule;
  const schedules = [
    parseSchedule(text, { timeZone: timeZone ?? undefined }),
    ...reading.kind === "schedule" ? [reading.schedule] : [],
  ].map((schedule) => schedule.anchoredAt(asksAt));
  const from = asksAt - HOURS_MS;
  const ran = runs.map(({ scheduledTime }) => scheduledTime).filter((time) => time !== undefined && time > from);
  const past = [...new Set([...ran as EpochMs[], ...schedules.flatMap((one) => [...one.between(from, asksAt)])])];
  const coming = [...new Set(schedules.flatMap((one) => [...one.between(asksAt, asksAt + HOURS_MS)]))];
  past.sort((a, b) => a - b);
  coming.sort((a, b) => a - b);
  const [first, second, third] = picks.map((pick) => pick);
  const pick = (times: readonly EpochMs[], number: number) =>
    times.length === 0 ? [] : [must(times[number % times.length])];
  // The newest is what people ask about.
  return [...past.slice(-1), ...pick(past, first!), ...pick(past, second!), ...pick(coming, third!)];
}
