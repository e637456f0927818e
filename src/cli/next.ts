import { type Command, Option } from "commander";
import type { Clock } from "../runtime/clock.ts";
import { SystemClock } from "../runtime/clock.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";
import { parseSchedule, type Schedule, type ScheduleOptions } from "../schedule/schedule.ts";
import { ScheduleError } from "../schedule/schedule_error.ts";
import { cronJobsIn, scheduleOf, settingsOf } from "./cron_job_manifest.ts";
import { ConfigError } from "./errors.ts";
import { readManifests } from "./manifests_in.ts";
import { answerBatch, MOST_RUNS } from "./next_batch.ts";
import { formatUpcomingRuns, upcomingRuns } from "./upcoming_runs.ts";

interface NextFlags {
  readonly timeZone?: string;
  readonly count: number;
  readonly from?: EpochMs;
  readonly name?: string;
  readonly filename?: string;
  readonly batch?: boolean;
  readonly output: "table" | "json";
}

const EXAMPLES = `
Examples:
  next '0 2 * * *' --time-zone Europe/Berlin     when it runs, and what clock changes do to it
  next 'H H(1-5) * * *' --name default/report    where H puts that CronJob
  next -f manifests/                             the next runs of every CronJob in the manifests
  next --batch < questions.jsonl                 {"schedule","timeZone","from","count"} in, {"schedule","next"} out`;

/** Adds `next`: when schedules run. */
export function addNextCommand(program: Command, clock: Clock = new SystemClock()): void {
  program
    .command("next")
    .description("show when a schedule, or every CronJob in manifests, runs next")
    .argument("[schedule]", "five fields or a descriptor, as in spec.schedule (quote it)")
    .option("-z, --time-zone <name>", "zone of the tz database whose wall clock counts (default: UTC)")
    .option("-n, --count <n>", "how many runs", readCount, 5)
    .option("--from <time>", "look after this time, RFC 3339 (default: now)", readFrom)
    .option("--name <namespace/name>", "the CronJob by whose name H in the schedule is spread", readName)
    .option("-f, --filename <path>", "manifests: a file, a directory, or - for standard input")
    .option("--batch", "read questions as JSON Lines from standard input and answer each with a line of JSON")
    .addOption(new Option("-o, --output <format>", "how to print").choices(["table", "json"]).default("table"))
    .addHelpText("after", EXAMPLES)
    .action(async (text: string | undefined, flags: NextFlags) => {
      const asked = [text !== undefined, flags.filename !== undefined, flags.batch === true].filter(Boolean).length;
      if (asked !== 1) throw new ConfigError("Give exactly one of SCHEDULE, --filename and --batch");
      const from = flags.from ?? clock.now();
      if (flags.batch) return await printAnswers(flags, from);
      if (flags.filename !== undefined) return await printManifestRuns(flags.filename, flags, from);
      printScheduleRuns(text!, flags, from);
    });
}

function printScheduleRuns(text: string, flags: NextFlags, from: EpochMs): void {
  const runs = upcomingRuns(readSchedule(text, { timeZone: flags.timeZone, hashKey: flags.name }), from, flags.count);
  console.log(flags.output === "json" ? JSON.stringify(runs, null, 2) : formatUpcomingRuns(runs));
}

function readSchedule(text: string, options: ScheduleOptions): Schedule {
  try {
    return parseSchedule(text, options);
  } catch (cause) {
    if (!(cause instanceof ScheduleError)) throw cause;
    throw new ConfigError(cause.message, { cause });
  }
}

/** A CronJob with a bad schedule does not hide the others; the exit code tells. */
async function printManifestRuns(path: string, flags: NextFlags, from: EpochMs): Promise<void> {
  const { manifests, faults } = await readManifests(path, { mentions: "CronJob" });
  for (const { source, line, reason } of faults) {
    console.error(`${source}:${line}: Cannot read the manifest: ${reason}`);
  }
  const cronJobs = cronJobsIn(manifests);
  if (cronJobs.length === 0) throw new ConfigError(`There is no CronJob in ${path}`);
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
  if (faults.length > 0 || answers.some((answer) => "error" in answer)) Deno.exitCode = 1;
  if (flags.output === "json") {
    console.log(JSON.stringify(answers, null, 2));
    return;
  }
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
  const defaults = { timeZone: flags.timeZone, name: flags.name, from, count: flags.count };
  const encoder = new TextEncoder();
  for await (const answers of answerBatch(Deno.stdin.readable, defaults)) await writeAll(encoder.encode(answers));
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await Deno.stdout.write(bytes.subarray(written));
}

function readCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MOST_RUNS) {
    throw new ConfigError(`--count must be a whole number from 1 to ${MOST_RUNS}, current value is ${text}`);
  }
  return count;
}

function readFrom(text: string): EpochMs {
  const from = parseTime(text);
  if (from === undefined) {
    throw new ConfigError(`--from must be RFC 3339 such as 2026-01-02T03:04:05Z, current value is ${text}`);
  }
  return from;
}

function readName(text: string): string {
  if (!/^[^/\s]+\/[^/\s]+$/.test(text)) {
    throw new ConfigError(`--name must be NAMESPACE/NAME, current value is ${text}`);
  }
  return text;
}
