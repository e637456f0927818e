import { scheduleAsRecorded } from "../../cronjob/decision/judge.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import type { RunsAsked } from "../kept_runs.ts";
import type { Look } from "../look.ts";
import { DAY_MS } from "../../schedule/month.ts";
import { fullTime, wallOf } from "../../schedule/full_time.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";

/** Returns the schedule as it stands, bound to where it counts from; undefined where it can't be read. */
export function scheduleOfLook({ findings }: Look): Schedule | undefined {
  return scheduleAsRecorded(findings);
}

/** How exactly a time is meant: to the second, by its distance from now, or as a day, which its beginning stands for. */
export type TimePrecision = "exact" | "distance" | "day";

/**
 * Returns which remembered runs a question is about: that of a Job, or those of a time, and before, which may have held it
 * up. Undefined: the newest.
 */
export function runsAbout(
  { at, precision = "exact", job }: {
    readonly at?: EpochMs | undefined;
    readonly precision?: TimePrecision;
    readonly job?: string | undefined;
  },
): Pick<RunsAsked, "until" | "job"> | undefined {
  if (at !== undefined) return { until: precision === "exact" ? at : at + DAY_MS };
  return job === undefined ? undefined : { job };
}

/** Returns the scheduled time that is meant by `instant`: next to it, or the first of the day that it begins. */
export function meantTime(look: Look, instant: EpochMs, precision: TimePrecision): EpochMs {
  if (precision === "exact") return instant;
  if (precision === "distance") return nearestTime(look, instant) ?? instant;
  const zone = zoneOf(look.input.cronJob);
  const first = scheduleOfLook(look)?.next(instant - 1);
  return first !== undefined && wallOf(first, zone).date === wallOf(instant, zone).date ? first : instant;
}

/**
 * Returns the scheduled time next to an instant that is not meant to the second: of the schedule, or of a run that
 * something shows. What is to come is not next to what was.
 */
function nearestTime(look: Look, instant: EpochMs): EpochMs | undefined {
  const { now } = look.input;
  const schedule = scheduleOfLook(look);
  const times = [
    schedule?.previous(instant + 1),
    schedule?.next(instant),
    ...look.runs.map((run) => run.scheduledTime),
  ];
  return times.filter((time) => time !== undefined && (instant > now ? time > now : time <= now))
    .reduce((best, time) => best === undefined || distance(time!) < distance(best) ? time : best, undefined);

  function distance(time: EpochMs): number {
    return Math.abs(time - instant);
  }
}

/** `Sat 2026-11-21 02:00 Europe/Berlin (01:00Z)`. */
export function timeInWords(time: EpochMs, look: Look): string {
  const zone = zoneOf(look.input.cronJob);
  const utc = new Date(time).toISOString();
  const text = fullTime(time, zone);
  const seconds = utc.slice(17, 19) === "00" ? "" : utc.slice(16, 19);
  return zone === "UTC" ? text : `${text} (${utc.slice(11, 16)}${seconds}Z)`;
}
