import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { scheduleOf } from "../../cronjob/api/schedule_reading.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { cronJobsIn, settingsOf } from "../../manifest_files/cron_job.ts";
import { nameOf, textOf } from "../../manifest_files/parse.ts";
import { readManifests } from "../../manifest_files/read.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { ScheduleError } from "../../schedule/schedule_error.ts";
import { ConfigError } from "../errors.ts";
import { readAskedSchedule } from "./asked_schedule.ts";
import { answerBatch } from "./batch.ts";
import type { NextFlags } from "./flags.ts";
import { formatUpcomingRuns, upcomingRuns } from "./upcoming_runs.ts";

const APIS = FLAVOURS.map(({ resource }) => apiVersionOf(resource));

/** Prints the runs after `from` of what was asked about: one schedule, manifests, or questions on standard input. */
export async function runNext(text: string | undefined, flags: NextFlags, from: EpochMs): Promise<void> {
  if (flags.batch) return await printAnswers(flags, from);
  if (flags.filename !== undefined) return await printManifestRuns(flags.filename, flags, from);
  printScheduleRuns(text!, flags, from);
}

function printScheduleRuns(text: string, flags: NextFlags, from: EpochMs): void {
  const runs = upcomingRuns(readSchedule(text, flags), from, flags.count);
  console.log(flags.output === "json" ? JSON.stringify(runs, null, 2) : formatUpcomingRuns(runs));
}

function readSchedule(text: string, { grammar, timeZone, name: hashKey }: NextFlags): Schedule {
  try {
    return readAskedSchedule(text, grammar, { timeZone, hashKey });
  } catch (cause) {
    if (!(cause instanceof ScheduleError)) throw cause;
    throw new ConfigError(cause.message, { cause });
  }
}

/** A CronJob with a bad schedule does not hide the others; the exit code shows it. */
async function printManifestRuns(path: string, flags: NextFlags, from: EpochMs): Promise<void> {
  const { manifests, faults } = await readManifests([path], { recursive: true, mentions: "CronJob" });
  for (const { source, line, reason } of faults) {
    console.error(`${source}:${line}: Cannot read the manifest: ${reason}`);
  }
  const cronJobs = cronJobsIn(manifests);
  const others = manifests.filter(({ object: { apiVersion, kind } }) =>
    kind === "CronJob" && !APIS.includes(apiVersion)
  );
  for (const { object, source, position } of others) {
    console.error(
      `${source}:${position("apiVersion").line}: Cannot say when CronJob ${nameOf(object.metadata)} runs: its ` +
        `apiVersion ${textOf(object.apiVersion)} is none of ${APIS.join(", ")}`,
    );
  }
  if (cronJobs.length === 0 && others.length === 0) throw new ConfigError(`There is no CronJob in ${path}`);
  const answers = cronJobs.map((cronJob) => {
    const { apiVersion, spec } = cronJob.object;
    const about = { apiVersion: apiVersion as string, name: cronJob.key, suspended: spec?.suspend === true };
    try {
      return { ...about, ...upcomingRuns(scheduleOf(settingsOf(cronJob)), from, flags.count) };
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
      return { ...about, error: error.message };
    }
  });
  if (faults.length > 0 || others.length > 0 || answers.some((answer) => "error" in answer)) Deno.exitCode = 1;
  if (flags.output === "json") {
    console.log(JSON.stringify(answers, null, 2));
    return;
  }
  if (answers.length === 0) return;
  console.log(
    answers.map((answer) => {
      const head = `${answer.name} (${answer.apiVersion})${answer.suspended ? ", suspended" : ""}`;
      return "error" in answer
        ? `${head}\n${answer.error}`
        : `${head}: ${answer.schedule}\n${formatUpcomingRuns(answer)}`;
    }).join("\n\n"),
  );
}

async function printAnswers(flags: NextFlags, from: EpochMs): Promise<void> {
  const { timeZone, name, grammar, count } = flags;
  const defaults = { timeZone, name, grammar, from, count };
  const encoder = new TextEncoder();
  for await (const answers of answerBatch(Deno.stdin.readable, defaults)) await writeAll(encoder.encode(answers));
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await Deno.stdout.write(bytes.subarray(written));
}
