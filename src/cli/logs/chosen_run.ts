import type { RunView } from "../../view/cron_job_view.ts";
import { lookAt, lookBack, type ViewInput } from "../../view/look.ts";
import { newestFirst } from "../../view/runs.ts";
import { meantTime, runsAbout, scheduleOfLook } from "../../view/explain/asked_time.ts";
import { fullTime } from "../../schedule/full_time.ts";
import { distanceOf } from "../../view/times.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import { ConfigError } from "../errors.ts";
import { type PeopleTime, readPeopleTime, TIME_EXAMPLES } from "../shared/people_time.ts";

/** A run that has a Job, or had one. */
export type RunOfJob = RunView & { readonly job: string };

/**
 * Returns the run that is meant: by `last`, `failed`, its scheduled time or the name of its Job.
 *
 * @throws {Error} where none is meant that has a Job
 */
export function runMeant(inputs: readonly ViewInput[], asked: string): RunOfJob {
  const looks = inputs.map((input) => lookBack(lookAt(input)));
  const runs = looks.flatMap(({ runs }) => runs).filter((run): run is RunOfJob => run.job !== undefined).sort(
    newestFirst,
  );
  const named = runs.find(({ job }) => job === asked);
  if (named) return named;
  const first = looks[0]!;
  const { input } = first;
  const { cronJob: { metadata: { name } }, now } = input;
  switch (asked) {
    case "last":
      return runs[0] ?? refuse(`${name} has no run with a Job`);
    case "failed":
      return runs.find(({ outcome }) => outcome === "Failed") ?? refuse(`${name} has no failed run with a Job`);
  }
  if (asked.startsWith(`${name}-`)) refuse(`${name} has no Job ${asked}: history limits may have deleted it`);
  const { at, precision } = timeOfRun(input, asked);
  const time = meantTime(first, at, precision);
  const found = runs.find(({ scheduledTime }) => scheduledTime === time);
  if (found) return found;
  const zone = zoneOf(input.cronJob);
  const which = `${name} has no run of ${fullTime(time, zone)} with a Job`;
  if (time > now) refuse(`${which} yet: that time comes in ${distanceOf(now, time)}`);
  const isNamed = scheduleOfLook(first)?.next(time - 1) === time;
  const remedy = input.isGone
    ? `history ${name} shows the runs that are remembered`
    : isNamed
    ? `explain ${name} --at ${new Date(time).toISOString().slice(0, 19)}Z says why`
    : "its schedule does not name that time";
  return refuse(`${which}: ${remedy}`);
}

/** Returns the runs among which {@linkcode runMeant} finds an old one; undefined where it means a new one. */
export function runsAskedBy(input: ViewInput, asked: string): ReturnType<typeof runsAbout> {
  if (asked === "last" || asked === "failed") return undefined;
  return runsAbout(
    asked.startsWith(`${input.cronJob.metadata.name}-`) ? { job: asked } : timeOfRun(input, asked),
  );
}

function timeOfRun({ cronJob, now }: ViewInput, asked: string): PeopleTime {
  try {
    return readPeopleTime(asked, "--run", { now, zone: zoneOf(cronJob), towards: "past" });
  } catch (cause) {
    const message =
      `--run must be last, failed, a Job's name, or a time such as ${TIME_EXAMPLES}, current value is ${asked}`;
    throw new ConfigError(message, { cause });
  }
}

function refuse(message: string): never {
  throw new Error(message);
}
