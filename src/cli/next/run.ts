import { asRun, controllersBy } from "../../view/runner.ts";
import { BATCH } from "../../cronjob/api/flavour.ts";
import { findPause, isPaused, readPauseNote } from "../../cronjob/api/pause.ts";
import { hasZoneInside } from "../../cronjob/api/settings.ts";
import { scheduleOf } from "../../cronjob/api/schedule_reading.ts";
import { find } from "../../cronjob/decision/find.ts";
import { comingRun, onceFollowed } from "../../cronjob/decision/judge.ts";
import { isSuspended } from "../../cronjob/api/stewardship.ts";
import { createdCronJob, type CronJobManifest, settingsOf } from "../../manifest_files/cron_job.ts";
import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import { parseAsKubernetes } from "../../schedule/kubernetes_schedule.ts";
import { parseSchedule } from "../../schedule/parse_schedule.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { ScheduleError } from "../../schedule/schedule_error.ts";
import { ConfigError } from "../errors.ts";
import { complain } from "../print/complain.ts";
import { readManifestCronJobs } from "../shared/manifest_cron_jobs.ts";
import { jsonText } from "../flags/output.ts";
import { readPeopleTime } from "../shared/people_time.ts";
import { printable } from "../../telemetry/printable.ts";
import { formatUpcomingRuns, type UpcomingRun, upcomingRuns } from "./upcoming_runs.ts";
import type { NextFlags } from "./options.ts";

/** Prints the coming runs of one schedule, or of the CronJobs in manifests. */
export async function runNext(text: string | undefined, flags: NextFlags, now: EpochMs): Promise<void> {
  if (flags.filename !== undefined) return await printManifestRuns(flags.filename, flags, now);
  printScheduleRuns(text!, flags, now);
}

function printScheduleRuns(text: string, flags: NextFlags, now: EpochMs): void {
  const schedule = readSchedule(text, flags);
  if (flags.grammar === "kubernetes" && hasZoneInside(text)) complain(ZONE_REFUSED);
  const runs = upcomingRuns(schedule, fromOf(flags, schedule.timeZone, now), flags.count);
  console.log(flags.output === "json" ? jsonText(runs) : formatUpcomingRuns(runs));
}

/** The API of `batch/v1` would not even store it. */
const ZONE_REFUSED = "The API of batch/v1 refuses TZ= and CRON_TZ= in spec.schedule: give spec.timeZone in its place";

/** Returns after which time runs are asked for, by the wall clock of `zone`. */
function fromOf({ from }: NextFlags, zone: string | undefined, now: EpochMs): EpochMs {
  const options = { now, zone: zone ?? "UTC", towards: "future" } as const;
  return from === undefined ? now : readPeopleTime(from, "--from", options).at;
}

function readSchedule(text: string, { grammar, timeZone, name: hashKey }: NextFlags): Schedule {
  try {
    return grammar === "extended"
      ? parseSchedule(text, { timeZone, hashKey, grammar: "Extended" })
      : parseAsKubernetes(text, { timeZone, hashKey }, { hashKey, hint: 'the grammar "extended" takes it' });
  } catch (cause) {
    if (!(cause instanceof ScheduleError)) throw cause;
    const isName = /^[a-z][a-z0-9.-]*$/.test(text);
    const message = isName
      ? `"${text}" is no schedule: for a CronJob, \`explain ${text}\` says when it runs next`
      : undefined;
    throw new ConfigError(message ?? cause.message, { cause });
  }
}

/** A CronJob with a bad schedule does not hide the others; the exit code shows it. */
async function printManifestRuns(path: string, flags: NextFlags, now: EpochMs): Promise<void> {
  const { cronJobs, isWhole } = await readManifestCronJobs([path]);
  const answers = cronJobs.map((cronJob) => answerOf(cronJob, flags, now));
  if (!isWhole || answers.some((answer) => "error" in answer)) Deno.exitCode = 1;
  if (flags.output === "json") {
    console.log(jsonText(answers));
    return;
  }
  if (answers.length === 0) return;
  console.log(
    answers.map((answer) => {
      const head = `${answer.name} (${answer.apiVersion})${held(answer)}`;
      return "error" in answer
        ? `${head}\n${answer.error}`
        : [`${head}: ${answer.schedule}`, ...answer.notes, formatUpcomingRuns(answer)].join("\n");
    }).join("\n\n"),
  );
}

/** Returns when a CronJob runs, or why nothing can be said of that. While a pause lasts, nothing of its schedule runs. */
function answerOf(cronJob: CronJobManifest, flags: NextFlags, now: EpochMs) {
  const { api, key } = cronJob;
  const { cronJob: run, notes } = asRun(createdCronJob(cronJob, now), controllersBy(flags.by), now);
  const { object, object: { apiVersion, spec }, stewardship } = run;
  const pause = findPause(readPauseNote(object), api.extrasIn === "spec" ? spec.pause : undefined);
  const about = {
    apiVersion,
    name: key,
    suspended: isSuspended(stewardship, object),
    notes,
    ...pause && isPaused(pause, now) &&
      { paused: { reason: pause.message, until: pause.until && formatTime(pause.until) } },
  };
  try {
    const settings = settingsOf({ ...cronJob, object: object as CronJobManifest["object"] });
    const schedule = scheduleOf(settings);
    if (api === BATCH && hasZoneInside(spec.schedule)) return { ...about, error: ZONE_REFUSED };
    const from = fromOf(flags, schedule.timeZone, now);
    const findings = find({ cronJob: run, jobs: [], now: from });
    const until = findings.block?.until;
    const next = until === undefined ? undefined : comingRun(findings, onceFollowed(findings));
    const first = next?.scheduledTime ?? Math.max(until ?? from + 1, settings.startTime ?? 0);
    const runs = upcomingRuns(schedule, first - 1, flags.count, from);
    const shown = runs.next.filter(({ utc }) => Date.parse(utc) <= (settings.endTime ?? Infinity));
    return { ...about, ...runs, next: shown.map((each) => lateRun(each, from, until)) };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return { ...about, error: error.message };
  }
}

/** A run that came due in a pause starts at the end of the pause. */
function lateRun(run: UpcomingRun, from: EpochMs, until: EpochMs = from): UpcomingRun {
  if (Date.parse(run.utc) >= until) return run;
  return { ...run, startsAt: formatTime(until), inSeconds: Math.round((until - from) / 1_000) };
}

function held({ suspended, paused }: Pick<ReturnType<typeof answerOf>, "suspended" | "paused">): string {
  const until = paused?.until === undefined ? "" : ` until ${paused.until}`;
  return `${suspended ? ", suspended" : ""}${paused ? `, paused${until} (${printable(paused.reason)})` : ""}`;
}
