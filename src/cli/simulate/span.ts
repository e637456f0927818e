import type { EpochMs } from "../../base/epoch_ms.ts";
import { timeZone } from "../../schedule/time_zone.ts";
import type { Span } from "../../simulate/runs.ts";
import { ConfigError } from "../errors.ts";
import { readPeopleTime } from "../shared/people_time.ts";
import type { SimulateOptions } from "./options.ts";

export type SpanFlags = Pick<SimulateOptions, "day" | "from" | "to">;

const DAY_MS = 86_400_000;
/** A simulation counts each second, so memory and time grow with the span. */
const LONGEST_DAYS = 31;
/** How far ahead a span may begin for CronJobs to be followed from their present state. */
const FOLLOWED_MS = 7 * DAY_MS;

/** Reads the span that the flags name, by the wall clock of a zone. */
export function readSpan({ day, from, to }: SpanFlags, now: EpochMs, zone: string): Span {
  if ((from ?? to) === undefined) return daySpan(day ?? "tomorrow", now, zone);
  const time = (text: string, option: string, after: EpochMs) =>
    wholeSecond(readPeopleTime(text, option, { now, after, zone, towards: "future" }).at);
  const begin = from === undefined ? wholeSecond(now) : time(from, "--from", now);
  // The first such time after the beginning: 22:00 may be tomorrow's.
  const end = to === undefined ? begin + DAY_MS : time(to, "--to", begin);
  if (end <= begin) {
    throw new ConfigError("--to must be later than --from: give the date too, such as '2026-12-24 06:00'");
  }
  if (end - begin > LONGEST_DAYS * DAY_MS) {
    throw new ConfigError(`--to must be no more than ${LONGEST_DAYS} days after --from`);
  }
  return { from: begin, to: end };
}

function daySpan(text: string, now: EpochMs, zone: string): Span {
  const { at, wall, precision } = readPeopleTime(text, "--day", { now, zone, towards: "future" });
  if (precision === "day") return { from: at, to: timeZone(zone).firstInstantAt(wall! + DAY_MS) };
  throw new ConfigError(
    `--day must be a date such as 2026-12-24, a weekday, yesterday, today or tomorrow, current value is ${text}`,
  );
}

/**
 * Returns when a simulation begins, and whether it takes up CronJobs in their present state. Otherwise it takes them as new,
 * and begins a day before the span, so that runs which last into it are there.
 */
export function beginOf({ from }: Span, now: EpochMs): { begin: EpochMs; isNow: boolean } {
  const isNow = from >= wholeSecond(now) && from - now <= FOLLOWED_MS;
  return { begin: isNow ? wholeSecond(now) : from - DAY_MS, isNow };
}

function wholeSecond(instant: EpochMs): EpochMs {
  return Math.floor(instant / 1_000) * 1_000;
}
