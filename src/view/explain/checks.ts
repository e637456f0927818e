import { heldSince, judge, type LeftOut, leftOut, pauseOver } from "../../cronjob/decision/judge.ts";
import { restedUntil } from "../../cronjob/decision/start_point.ts";
import { isAmong } from "../../cronjob/decision/stretches.ts";
import { hasZoneInside, type Settings } from "../../cronjob/api/settings.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { partsOf } from "../../schedule/exclusions/parts.ts";
import { IntervalSchedule } from "../../schedule/interval_schedule.ts";
import { nameTime } from "../../schedule/named_time.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import type { WallMs } from "../../schedule/time_zone.ts";
import type { RunView } from "../cron_job_view.ts";
import type { Look } from "../look.ts";
import { isOfSchedule, startedBefore } from "../runs.ts";
import { distanceOf } from "../times.ts";
import { scheduleOfLook, timeInWords } from "./asked_time.ts";
import type { Check } from "./explanation.ts";

interface Asked {
  readonly run: RunView | undefined;
  /** Whether something else than a run shows that it was started. */
  readonly wasStarted: boolean;
  readonly wall: WallMs | undefined;
  /** Whether a controller led, where that was looked at. */
  readonly leader: Check | undefined;
}

/** Returns all that can keep a run from starting, one after the other. */
export function checksOf(look: Look, time: EpochMs, asked: Asked): Check[] {
  const before = [schedule, followed, span, concurrency, deadline].map((check) => check(look, time, asked));
  return [...before, ...asked.leader ? [asked.leader] : [], job(look, time, asked), ...expectations(look, time)];
}

/** Returns what the run of that time does not do although it is expected. */
function expectations({ findings }: Look, time: EpochMs): Check[] {
  const unmet = findings.expectations.breaches.filter((breach) => breach.time === time);
  return unmet.map(({ kind, message }) => fail(`expectation: ${kind}: ${message}`));
}

function ok(message: string): Check {
  return { result: "ok", message };
}

function fail(message: string): Check {
  return { result: "FAIL", message };
}

function schedule(look: Look, time: EpochMs, { run, wall }: Asked): Check {
  const { schedule: reading, settings } = look.input.cronJob;
  if (reading.kind === "problem") return fail(reading.message);
  const followed = scheduleOfLook(look)!;
  const named = nameTime(followed, time, wall);
  const countsOn = `${settings.schedule} counts from one run to the next`;
  switch (named.kind) {
    case "named": {
      if (followed instanceof IntervalSchedule) return ok(`${countsOn}, and comes to that time`);
      const change = named.note ?? "no clock change near it";
      return ok(
        `${settings.schedule} names that time in ${zoneOf(look.input.cronJob)}${byDefault(settings)}; ${change}`,
      );
    }
    case "gap":
      return fail(`the clocks of ${zoneOf(look.input.cronJob)} skip that time`);
    case "excluded":
      return fail(`${settings.schedule} names that time, and it is excluded`);
    case "not named":
      // Only what comes after the last run can be counted out: a run of the schedule proves its own time.
      return run?.trigger === "Schedule" && countsFromRuns(followed)
        ? ok(`${countsOn}, and came to that time`)
        : fail(named.reason);
  }
}

function countsFromRuns(followed: Schedule): boolean {
  return partsOf(followed).parts.some((part) => part instanceof IntervalSchedule);
}

/** Marks UTC by default. The zone of the first schedule is that of the CronJob. */
export function byDefault({ schedules: [{ text, timeZone }] }: Settings): string {
  return timeZone !== undefined || hasZoneInside(text) ? "" : ", as no timeZone is set";
}

function followed(look: Look, time: EpochMs, { run }: Asked): Check {
  const { input: { cronJob }, findings: { block } } = look;
  const pause = pauseOver(look.findings, time);
  if (pause) return fail(`paused then: ${pause.message}`);
  if (!block) {
    const judged = judge(look.findings, time);
    if (judged.kind === "stands still") return fail(`${judged.standstill.reason}: ${judged.standstill.message}`);
    const message = "not suspended, not paused";
    // The last change of the spec may have ended a pause.
    const since = Math.max(cronJob.specWrittenAt ?? Infinity, restedUntil(look.findings));
    return time > since ? ok(message) : { result: "?", message: `${message} now` };
  }
  const since = cronJob.pauseWrittenAt;
  const when = since === undefined ? "" : `, written ${new Date(since).toISOString().slice(0, 19)}Z`;
  const message = `${block.reason}: ${block.message}${when}`;
  return run?.trigger === "Schedule" ? ok(`the schedule was followed then; now ${message}`) : fail(message);
}

/** Times outside of the span in which the schedule counts. */
const OUTSIDE: Readonly<Partial<Record<LeftOut, string>>> = {
  startTime: "before spec.startTime,",
  endTime: "after spec.endTime,",
  creation: "created",
  edit: "the schedule was written",
};

function span(look: Look, time: EpochMs, { run }: Asked): Check {
  const { cronJob } = look.input;
  const left = leftOut(look.findings, time);
  const why = left && OUTSIDE[left.by];
  if (run && left?.by === "creation") {
    return {
      result: "?",
      message: `created ${timeInWords(left.at, look)}: the run is of an earlier CronJob of its name`,
    };
  }
  if (why !== undefined) return fail(`${why} ${timeInWords(left!.at, look)}`);
  if (cronJob.flavour.openStatus) {
    const since = timeInWords(heldSince(look.findings), look);
    return ok(`inside startTime and endTime; the schedule is unchanged since ${since}`);
  }
  const { scheduleEditedAt } = cronJob;
  if (scheduleEditedAt === undefined) {
    return ok("inside startTime and endTime; when the schedule was written is not known");
  }
  const text = `the spec was last written ${timeInWords(scheduleEditedAt, look)}`;
  return time > scheduleEditedAt ? ok(text) : { result: "?", message: `${text}, after that time` };
}

function concurrency(look: Look, time: EpochMs, { run }: Asked): Check {
  const { input: { cronJob: { settings }, now }, runs } = look;
  const allowed = settings.maxActive;
  if (allowed === Infinity) {
    return { result: "-", message: `concurrencyPolicy ${settings.policy}: any number may be active` };
  }
  if (time > now) {
    return { result: "-", message: `concurrency: ${look.activeOfSchedule.length} active now, ${allowed} allowed` };
  }
  const active = runs.filter(isOfSchedule).filter((other) =>
    other !== run && startedBefore(other, time) &&
    (other.endedAt === undefined ? other.outcome === "Running" || other.outcome === "Pending" : other.endedAt > time)
  );
  const message = `concurrency: ${active.length} active then, ${allowed} allowed`;
  return active.length < allowed || settings.policy === "Replace" ? ok(message) : fail(message);
}

function deadline(
  { input: { cronJob, now }, findings: { due } }: Look,
  time: EpochMs,
  { run, wasStarted }: Asked,
): Check {
  const { startingDeadlineMs } = cronJob.settings;
  if (startingDeadlineMs === Infinity) return { result: "-", message: "startingDeadlineSeconds: none set" };
  const text = `startingDeadlineSeconds: ${startingDeadlineMs / 1_000}`;
  if (run?.startedAt !== undefined && run.job !== undefined) {
    return ok(`${text}, started after ${distanceOf(time, run.startedAt)}`);
  }
  if (!run && wasStarted) return { result: "?", message: `${text}; how late it was started is not known` };
  if (isAmong(due.line?.held ?? [], time)) return ok(`${text}, which counts until a run waits in line`);
  const left = startingDeadlineMs - Math.max(0, now - time);
  return left < 0 ? fail(`${text}, which has passed`) : ok(`${text}, of which ${distanceOf(0, left)} is left`);
}

function job({ input: { now } }: Look, time: EpochMs, { run, wasStarted }: Asked): Check {
  if (time > now) return { result: "-", message: "no Job is there yet" };
  if (!run && wasStarted) return { result: "?", message: "its Job is gone" };
  if (run?.job === undefined) return { result: run ? "FAIL" : "-", message: "no Job was created for it" };
  return run.outcome === "Unknown" ? { result: "?", message: `Job ${run.job} is gone` } : ok(`Job ${run.job}`);
}
