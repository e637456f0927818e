import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import { type TimeZone, timeZone, type WallMs } from "../../schedule/time_zone.ts";
import type { TimePrecision } from "../../view/explain/asked_time.ts";
import { ConfigError } from "../errors.ts";

/** A time that a user wrote. */
export interface PeopleTime {
  readonly at: EpochMs;
  /** The wall time that was asked for; undefined for a time that needs none. */
  readonly wall: WallMs | undefined;
  readonly precision: TimePrecision;
}

export interface PeopleTimeOptions {
  readonly now: EpochMs;
  /** The zone whose wall clock counts. */
  readonly zone: string;
  /** Where a time of day, a weekday or a length of time lies. */
  readonly towards: "past" | "future";
  /**
   * From where they are looked for; `today` and `tomorrow` are days of `now`.
   *
   * @default now
   */
  readonly after?: EpochMs;
}

/** Examples of everything that {@linkcode readPeopleTime} understands. */
export const TIME_EXAMPLES =
  "02:00, Mon 08:00, yesterday 02:00, tomorrow, last friday, 2026-11-21, 2026-11-21 02:00, " +
  "2026-11-21T01:00:00Z, 30d, 2h ago or in 3h";

const DAY_MS = 86_400_000;
const UNITS_MS = { w: 7 * DAY_MS, d: DAY_MS, h: 3_600_000, m: 60_000, s: 1_000 };
const UNIT = "(w|weeks?|d|days?|h|hours?|m|min|minutes?|s|sec|seconds?)";
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const NAMED_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/**
 * Reads a time as people write it: RFC 3339; a day, a time of day, or both; or how long ago, or from now, it is. A day is a
 * date, `yesterday`, `today`, `tomorrow` or a weekday, which `last` or `next` may stand before.
 *
 * @throws {ConfigError} saying how it may be written
 */
export function readPeopleTime(text: string, option: string, options: PeopleTimeOptions): PeopleTime {
  const words = text.trim().toLowerCase();
  const found = readInstant(text) ?? readDistance(words, options) ?? readWall(words, options);
  if (found) return found;
  throw new ConfigError(`${option} must be a time such as ${TIME_EXAMPLES}, current value is ${text}`);
}

function readInstant(text: string): PeopleTime | undefined {
  const at = parseTime(text);
  return at === undefined ? undefined : { at, wall: undefined, precision: "exact" };
}

const DISTANCE = new RegExp(`^(-|\\+|in )?\\s*((?:\\d{1,6} ?${UNIT}\\s*)+)(ago)?$`);

/** `2h`, `1d 2h`, `2 days`, said to be past by `-` or `ago`, or to come by `+` or `in`. */
function readDistance(words: string, { now, after = now, towards }: PeopleTimeOptions): PeopleTime | undefined {
  const [whole, sign, length = "", , ago] = DISTANCE.exec(words) ?? [];
  if (whole === undefined || (ago && sign)) return undefined;
  const parts = [...length.matchAll(/(\d+) ?([wdhms])/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS], 0);
  const isFuture = sign === undefined && !ago ? towards === "future" : sign === "+" || sign === "in ";
  return { at: isFuture ? after + ms : after - ms, wall: undefined, precision: "distance" };
}

const DAY = "(?:(\\d{4}-\\d\\d-\\d\\d)|(yesterday|today|tomorrow)|(?:(last|next) )?" +
  "(sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?))";
const WALL = new RegExp(`^(?:${DAY}(?:$|[t ]\\s*(?:at )?))?(?:(\\d\\d?):(\\d\\d)(?::(\\d\\d))?)?$`);

function readWall(words: string, options: PeopleTimeOptions): PeopleTime | undefined {
  const [whole, date, named, side, weekday, hour, minute = "0", second = "0"] = WALL.exec(words) ?? [];
  if (!whole || Number(hour ?? 0) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const ofDay = (Number(hour ?? 0) * 3_600 + Number(minute) * 60 + Number(second)) * 1_000;
  const zone = timeZone(options.zone);
  const midnight = date !== undefined
    ? parseTime(`${date}T00:00:00Z`)
    : named !== undefined
    ? (Math.floor(zone.wallAt(options.now) / DAY_MS) + NAMED_DAYS[named]!) * DAY_MS
    : nearestDay({ weekday: weekday?.slice(0, 3), side, ofDay }, zone, options);
  if (midnight === undefined) return undefined;
  const wall = midnight + ofDay;
  return { at: zone.firstInstantAt(wall), wall, precision: hour === undefined ? "day" : "exact" };
}

/**
 * Returns the midnight of the first such day, which may be of any weekday, looking from now the way that is asked for. What is
 * `last` or `next` is never the day of today.
 */
function nearestDay(
  { weekday, side, ofDay }: { weekday: string | undefined; side: string | undefined; ofDay: number },
  zone: TimeZone,
  { now, after = now, towards }: PeopleTimeOptions,
): WallMs | undefined {
  const isPast = side === undefined ? towards === "past" : side === "last";
  const today = Math.floor(zone.wallAt(after) / DAY_MS);
  for (let days = side === undefined ? 0 : 1; days <= 7; days++) {
    const midnight = (isPast ? today - days : today + days) * DAY_MS;
    if (weekday !== undefined && new Date(midnight).getUTCDay() !== WEEKDAYS.indexOf(weekday)) continue;
    const at = zone.firstInstantAt(midnight + ofDay);
    if (isPast ? at <= after : at > after) return midnight;
  }
  return undefined;
}
