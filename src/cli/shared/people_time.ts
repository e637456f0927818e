import { parseDuration } from "../../schedule/duration.ts";
import { type EpochMs, parseTime } from "../../schedule/epoch_ms.ts";
import { timeZone, type WallMs } from "../../schedule/time_zone.ts";
import { ConfigError } from "../errors.ts";

/** A time that a user wrote. */
export interface PeopleTime {
  readonly at: EpochMs;
  /** What the wall clock was to show; undefined for a time that needs none. */
  readonly wall: WallMs | undefined;
  /** Whether it is how long ago, or from now: that is never meant to the second. */
  readonly isDistance: boolean;
}

export interface PeopleTimeOptions {
  readonly now: EpochMs;
  /** Whose wall clock counts. */
  readonly zone: string;
  /** Where a time of day, a weekday or a length of time lies. */
  readonly towards: "past" | "future";
}

const EXAMPLES = "such as 02:00, Mon 08:00, 2026-11-21 02:00, 2026-11-21T01:00:00Z or";
const DISTANCES = { past: "2h ago", future: "2h" } as const;
const DAY_MS = 86_400_000;
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/**
 * Reads a time as people write it: RFC 3339, a date with a time of day, a time of day alone or after a weekday, or how long
 * ago, or from now, it is.
 *
 * @throws {ConfigError} saying how it may be written
 */
export function readPeopleTime(text: string, option: string, options: PeopleTimeOptions): PeopleTime {
  const found = readInstant(text) ?? readDistance(text, options) ?? readWall(text, options);
  if (found) return found;
  throw new ConfigError(`${option} must be a time ${EXAMPLES} ${DISTANCES[options.towards]}, current value is ${text}`);
}

function readInstant(text: string): PeopleTime | undefined {
  const at = parseTime(text);
  return at === undefined ? undefined : { at, wall: undefined, isDistance: false };
}

/** `2h`, `1d 2h`, `90s`, said to be past by `-` or `ago`, or to come by `+` or `in`. */
function readDistance(text: string, { now, towards }: PeopleTimeOptions): PeopleTime | undefined {
  const pattern = /^(-|\+|in )?\s*(?:(\d{1,5})d)?\s*((?:\d{1,6}[hms]\s*)*)(ago)?$/i;
  const [whole, sign, days = "0", rest = "", ago] = pattern.exec(text.trim()) ?? [];
  if (whole === undefined || !/\d/.test(whole) || (ago && sign)) return undefined;
  const ms = Number(days) * DAY_MS + Number(parseDuration(rest.replaceAll(/\s/g, "") || "0s") / 1_000_000n);
  const isFuture = sign === undefined && !ago ? towards === "future" : sign === "+" || sign?.toLowerCase() === "in ";
  return { at: isFuture ? now + ms : now - ms, wall: undefined, isDistance: true };
}

function readWall(text: string, { now, zone: name, towards }: PeopleTimeOptions): PeopleTime | undefined {
  const pattern = /^(?:(\d{4}-\d\d-\d\d)[T ]|(sun|mon|tue|wed|thu|fri|sat)[a-z]* )?(\d\d?):(\d\d)(?::(\d\d))?$/i;
  const [, date, weekday, hour, minute, second = "0"] = pattern.exec(text.trim()) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const zone = timeZone(name);
  const ofDay = (Number(hour) * 3_600 + Number(minute) * 60 + Number(second)) * 1_000;
  if (date !== undefined) {
    const midnight = parseTime(`${date}T00:00:00Z`);
    if (midnight === undefined) return undefined;
    return { at: zone.firstInstantAt(midnight + ofDay), wall: midnight + ofDay, isDistance: false };
  }
  const today = Math.floor(zone.wallAt(now) / DAY_MS);
  const step = towards === "past" ? -1 : 1;
  for (let day = today, days = 0; days <= 7; day += step, days++) {
    const wall = day * DAY_MS + ofDay;
    if (weekday !== undefined && new Date(wall).getUTCDay() !== WEEKDAYS.indexOf(weekday.toLowerCase())) continue;
    const at = zone.firstInstantAt(wall);
    if (towards === "past" ? at <= now : at > now) return { at, wall, isDistance: false };
  }
  return undefined;
}
