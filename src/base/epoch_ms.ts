/** An instant: milliseconds since 1970-01-01T00:00:00Z, as the whole program holds it. RFC 3339 text stays at the edges. */
export type EpochMs = number;

/** The first and the last instant that RFC 3339 can name, with its four digits for a year. The program knows no others. */
export const FIRST_INSTANT: EpochMs = Date.parse("0000-01-01T00:00:00Z");
export const LAST_INSTANT: EpochMs = Date.parse("9999-12-31T23:59:59Z");

const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const RFC3339 = new RegExp(String.raw`^\d{4}-\d\d-\d\d[Tt]${CLOCK}:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]${CLOCK})$`);

/**
 * Reads RFC 3339 text such as `2026-01-02T03:04:05Z`; gives undefined for anything else, an absent value included. An
 * offset from UTC can reach beyond the first or the last instant; then it is that one.
 */
export function parseTime(text: string | undefined | null): EpochMs | undefined {
  if (typeof text !== "string" || !RFC3339.test(text)) return undefined;
  const begin = beginOf(text.slice(0, 10));
  if (begin === undefined) return undefined;
  const hasMore = text.length > "2026-01-02T03:04:05Z".length;
  if (hasMore) return Math.min(Math.max(Date.parse(text), FIRST_INSTANT), LAST_INSTANT);
  return begin + ((numberAt(text, 11) * 60 + numberAt(text, 14)) * 60 + numberAt(text, 17)) * 1000;
}

/** Reads two digits. */
function numberAt(text: string, i: number): number {
  return text.charCodeAt(i) * 10 + text.charCodeAt(i + 1) - 11 * "0".charCodeAt(0);
}

const DAY_MS = 24 * 60 * 60_000;

/** Returns when a day such as `2026-01-02` begins; undefined for none. */
const beginOf = remembering((day: string): EpochMs | undefined => {
  const begin = Date.parse(day);
  // JavaScript reads 30 February as 2 March.
  return !Number.isNaN(begin) && dayOf(begin) === day ? begin : undefined;
});

const dayOf = remembering((begin: EpochMs) => new Date(begin).toISOString().split("T")[0]!);

/** Remembers days: `Date` takes several times as long as all the rest of a time. */
function remembering<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key);
    if (value !== undefined) return value;
    if (known.size >= MOST_DAYS) known.clear();
    known.set(key, compute(key));
    return known.get(key)!;
  };
}

const MOST_DAYS = 1_000;

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

/** Returns Kubernetes' `Time`: RFC 3339 in UTC, cut to whole seconds. */
export function formatTime(instant: EpochMs): string {
  const begin = Math.floor(instant / DAY_MS) * DAY_MS;
  const seconds = Math.floor((instant - begin) / 1000);
  const [hour, minute, second] = [twoDigits(seconds / 3600), twoDigits(seconds / 60 % 60), twoDigits(seconds % 60)];
  return `${dayOf(begin)}T${hour}:${minute}:${second}Z`;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));

function twoDigits(value: number): string {
  return TWO_DIGITS[Math.floor(value)]!;
}

/** Returns Kubernetes' `MicroTime`: RFC 3339 in UTC with six decimals, the last three of them 0. */
export function formatMicroTime(instant: EpochMs): string {
  return new Date(instant).toISOString().replace("Z", "000Z");
}
