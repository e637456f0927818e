/** An instant: milliseconds since 1970-01-01T00:00:00Z, as the whole program holds it. RFC 3339 text stays at the edges. */
export type EpochMs = number;

/** The first and the last instant that RFC 3339 can name, with its four digits for a year. The program knows no others. */
export const FIRST_INSTANT: EpochMs = Date.parse("0000-01-01T00:00:00Z");
export const LAST_INSTANT: EpochMs = Date.parse("9999-12-31T23:59:59Z");

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt](?!24)\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * Reads RFC 3339 text such as `2026-01-02T03:04:05Z`; gives undefined for anything else, an absent value included. An
 * offset from UTC can reach beyond the first or the last instant; then it is that one.
 */
export function parseTime(text: string | undefined | null): EpochMs | undefined {
  if (typeof text !== "string" || !RFC3339.test(text)) return undefined;
  const instant = Date.parse(text);
  // JavaScript reads 30 February as 2 March.
  const day = Number(text.slice(8, 10));
  const exists = !Number.isNaN(instant) && (day <= 28 || day <= daysIn(text));
  return exists ? Math.min(Math.max(instant, FIRST_INSTANT), LAST_INSTANT) : undefined;
}

/** Returns how long the month is in which such a text lies. */
function daysIn(text: string): number {
  const [year, month] = [Number(text.slice(0, 4)), Number(text.slice(5, 7))];
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Returns the earliest of the instants that are given; undefined where none is. */
export function earliest(...instants: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  let first: EpochMs | undefined;
  for (const instant of instants) {
    if (instant !== undefined && (first === undefined || instant < first)) first = instant;
  }
  return first;
}

/** Returns the latest of the instants that are given; undefined where none is. */
export function latest(...instants: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  let last: EpochMs | undefined;
  for (const instant of instants) {
    if (instant !== undefined && (last === undefined || instant > last)) last = instant;
  }
  return last;
}

const DAY_MS = 24 * 60 * 60_000;

/** The day that was written last: `toISOString` takes twenty times as long as the time of the day. */
let latestDay = { day: NaN, text: "" };

/** Returns Kubernetes' `Time`: RFC 3339 in UTC, cut to whole seconds. */
export function formatTime(instant: EpochMs): string {
  const day = Math.floor(instant / DAY_MS);
  if (day !== latestDay.day) latestDay = { day, text: new Date(day * DAY_MS).toISOString().split("T")[0]! };
  const seconds = Math.floor((instant - day * DAY_MS) / 1000);
  const [hour, minute, second] = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(twoDigits);
  return `${latestDay.text}T${hour}:${minute}:${second}Z`;
}

function twoDigits(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}

/** Returns Kubernetes' `MicroTime`: RFC 3339 in UTC with six decimals, the last three of them 0. */
export function formatMicroTime(instant: EpochMs): string {
  return new Date(instant).toISOString().replace("Z", "000Z");
}
