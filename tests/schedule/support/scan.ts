// The model that the schedule room is compared with: every minute of a few days around a clock change, the wall clock that
// `Intl` shows at it, and plain membership in sets or on a calendar made by hand. Nothing here comes from src/schedule.
import * as fc from "fast-check";
import { must } from "../../support/expected.ts";
import { type CalendarDay, DATES, type ModelDay, WEEKDAY_DATES } from "./hand_calendar.ts";

const MINUTE_MS = 60_000;

/** A field as text, with what it means. */
export interface ModelField {
  readonly text: string;
  readonly values: ReadonlySet<number>;
  /** Items of a day field whose dates depend on the month. */
  readonly monthDays: readonly ModelDay[];
  readonly starred: boolean;
}

export interface ModelSchedule {
  readonly text: string;
  readonly minute: ModelField;
  readonly hour: ModelField;
  readonly dayOfMonth: ModelField;
  readonly month: ModelField;
  readonly dayOfWeek: ModelField;
}

export interface Policy {
  readonly gap: "Skip" | "RunAfter";
  readonly overlap: "Both" | "First" | "Second";
}

const ZONES = [
  "Africa/Cairo",
  "Africa/Casablanca",
  "America/Havana",
  "America/New_York",
  "America/Nuuk",
  "America/Santiago",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Antarctica/Troll",
  "Asia/Beirut",
  "Asia/Pyongyang",
  "Asia/Tehran",
  "Atlantic/Azores",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Europe/Dublin",
  "Pacific/Apia",
  "Pacific/Chatham",
];

/** Some consecutive minutes, `start + i * 60 s`, and UTC's instant with the same wall clock for each. */
export interface Minutes {
  readonly zone: string;
  readonly start: number;
  readonly walls: readonly number[];
}

/** Three days around a clock change, or around any instant. */
export function minutesAroundAClockChange(): fc.Arbitrary<Minutes> {
  return fc.record({
    zone: fc.constantFrom(...ZONES),
    year: fc.integer({ min: 1990, max: 2060 }),
    month: fc.integer({ min: 0, max: 11 }),
    anywhere: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  }).map(({ zone, year, month, anywhere }) => {
    const begin = Temporal.Instant.fromEpochMilliseconds(Date.UTC(year, month, 1)).toZonedDateTimeISO(zone);
    const change = anywhere ? undefined : begin.getTimeZoneTransition("next")?.epochMilliseconds;
    return readMinutes(zone, (change ?? begin.epochMilliseconds) - 36 * 60 * MINUTE_MS, 72 * 60);
  });
}

/** So many minutes from an instant on. */
export function readMinutes(zone: string, start: number, count: number): Minutes {
  const wallAt = wallClock(zone);
  return { zone, start, walls: Array.from({ length: count }, (_, i) => wallAt(start + i * MINUTE_MS)) };
}

/** Returns the function from an instant to the instant of UTC with the same wall clock, as `Intl` has it. */
export function wallClock(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const [month = NaN, day, year = NaN, ...time] = format.format(instant).match(/\d+/g)!.map(Number);
    return Date.UTC(year, month - 1, day, ...time);
  };
}

/** The runs among the minutes, by looking at each. */
export function scan({ start, walls }: Minutes, schedule: ModelSchedule, policy: Policy): number[] {
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  walls.forEach((wall, i) => {
    if (!first.has(wall)) first.set(wall, i);
    last.set(wall, i);
  });
  const runs = (wall: number, i: number) => {
    const skipped = i > 0 && policy.gap === "RunAfter" ? skippedBetween(must(walls[i - 1]), wall) : [];
    if (skipped.some((gone) => matches(schedule, gone))) return true;
    if (policy.overlap === "First" && first.get(wall) !== i) return false;
    if (policy.overlap === "Second" && last.get(wall) !== i) return false;
    return matches(schedule, wall);
  };
  return walls.flatMap((wall, i) => runs(wall, i) ? [start + i * MINUTE_MS] : []);
}

function skippedBetween(before: number, after: number): number[] {
  const count = Math.max(0, (after - before) / MINUTE_MS - 1);
  return Array.from({ length: count }, (_, i) => before + (i + 1) * MINUTE_MS);
}

function matches(schedule: ModelSchedule, wall: number): boolean {
  const date = new Date(wall);
  if (!schedule.minute.values.has(date.getUTCMinutes()) || !schedule.hour.values.has(date.getUTCHours())) return false;
  const day: CalendarDay = {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    date: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
  const { dayOfMonth, dayOfWeek } = schedule;
  const byDate = dayOfMonth.values.has(day.date) || dayOfMonth.monthDays.some(({ isOn }) => isOn(day));
  const byWeekday = dayOfWeek.values.has(day.weekday) || dayOfWeek.monthDays.some(({ isOn }) => isOn(day));
  return schedule.month.values.has(day.month) &&
    (dayOfMonth.starred || dayOfWeek.starred ? byDate && byWeekday : byDate || byWeekday);
}

/** Returns the values of a range of cron, both ends included. */
export function valuesOf(first: number, last: number, step: number): Set<number> {
  const values = new Set<number>();
  for (let value = first; value <= last; value += step) values.add(value);
  return values;
}

/** Returns an item whose values are the same in every month. */
export function plainItem(text: string, values: Set<number>, starred = false): ModelField {
  return { text, values, monthDays: [], starred };
}

function item(min: number, max: number): fc.Arbitrary<ModelField> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: max + 1 });
  return fc.oneof(
    value.map((v) => plainItem(`${v}`, new Set([v]))),
    fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
      .map(([a, b]) => plainItem(`${a}-${b}`, valuesOf(a, b, 1))),
    fc.tuple(value, step).map(([v, n]) => plainItem(`${v}/${n}`, valuesOf(v, max, n))),
    step.map((n) => plainItem(`*/${n}`, valuesOf(min, max, n), n === 1)),
  );
}

function field(min: number, max: number, starWeight: number, days: readonly ModelDay[] = []): fc.Arbitrary<ModelField> {
  const star = fc.constantFrom("*", "?").map((text) => plainItem(text, valuesOf(min, max, 1), true));
  const monthDay = days.length === 0 ? [] : [
    fc.constantFrom(...days).map((day) => ({
      text: day.text,
      values: new Set<number>(),
      monthDays: [day],
      starred: false,
    })),
  ];
  const list = fc.array(fc.oneof(item(min, max), ...monthDay), { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(),
    values: new Set(items.flatMap(({ values }) => [...values])),
    monthDays: items.flatMap(({ monthDays }) => monthDays),
    starred: items.some(({ starred }) => starred),
  }));
  return fc.oneof({ weight: starWeight, arbitrary: star }, { weight: 10, arbitrary: list });
}

/** Any schedule of five fields; its day and month fields are often starred, so that it runs within a few days. */
export function anySchedule(): fc.Arbitrary<ModelSchedule> {
  return fc.record({
    minute: field(0, 59, 2),
    hour: field(0, 23, 5),
    dayOfMonth: field(1, 31, 10, DATES),
    month: field(1, 12, 40),
    dayOfWeek: field(0, 6, 10, WEEKDAY_DATES),
  }).map((fields) => ({
    ...fields,
    text: [fields.minute, fields.hour, fields.dayOfMonth, fields.month, fields.dayOfWeek].map((f) => f.text).join(" "),
  }));
}

export function anyPolicy(): fc.Arbitrary<Policy> {
  return fc.record({
    gap: fc.constantFrom("Skip" as const, "RunAfter" as const),
    overlap: fc.constantFrom("Both" as const, "First" as const, "Second" as const),
  });
}
