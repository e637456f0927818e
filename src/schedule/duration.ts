import { ownValue } from "../base/own_value.ts";
import { ScheduleError } from "./schedule_error.ts";

const UNIT_NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "µs": 1_000n,
  "μs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const MAX_NS = 2n ** 63n - 1n;
const PART = /(\d*)(?:(\.)(\d*))?([^\d.]*)/y;
const GUIDE = 'must be numbers with the units h, m, s, ms, us or ns, such as "90s" or "1h30m"';
const LONGER_UNITS: Readonly<Record<string, number>> = { d: 24, day: 24, days: 24, w: 168, week: 168, weeks: 168 };

/**
 * Reads a duration as Go's `time.ParseDuration` does and gives whole nanoseconds.
 *
 * @throws {ScheduleError} when the text is no duration, or lies beyond 2^63 ns (292 years).
 */
export function parseDuration(text: string): bigint {
  const signed = text.startsWith("+") || text.startsWith("-");
  const negative = text.startsWith("-");
  const body = signed ? text.slice(1) : text;
  if (body === "0") return 0n;
  if (body === "") throw new ScheduleError("duration", text, GUIDE);
  let totalNs = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const [, whole = "", point, fraction = "", unit = ""] = PART.exec(body)!;
    if (whole === "" && (point === undefined || fraction === "")) throw new ScheduleError("duration", text, GUIDE);
    const unitNs = ownValue(UNIT_NS, unit);
    if (unitNs === undefined) throw new ScheduleError("duration", text, unitRemedy(whole, unit));
    totalNs += partNs(whole, fraction, unitNs) ?? MAX_NS + 2n;
    if (totalNs > MAX_NS + (negative ? 1n : 0n)) {
      throw new ScheduleError("duration", text, "is too long; the limit is 2562047h47m16.854775807s");
    }
  }
  return negative ? -totalNs : totalNs;
}

/** Undefined means: more than any duration can hold. */
function partNs(whole: string, fraction: string, unitNs: bigint): bigint | undefined {
  const digits = whole.replace(/^0+/, "");
  if (digits.length > 19) return undefined;
  // Go multiplies in floating point, which takes no notice of more digits.
  const kept = fraction.slice(0, 18);
  const fractionNs = kept === "" ? 0 : Number(BigInt(kept)) * (Number(unitNs) / 10 ** kept.length);
  return BigInt(digits) * unitNs + BigInt(Math.trunc(fractionNs));
}

function unitRemedy(whole: string, unit: string): string {
  if (unit === "") return `${GUIDE}; the unit is missing after ${whole.slice(0, 20)}`;
  const hours = ownValue(LONGER_UNITS, unit);
  if (hours === undefined) return GUIDE;
  return `${GUIDE}; "${unit}" is no unit: ${whole.length < 6 ? `write "${Number(whole) * hours}h"` : "count in hours"}`;
}
