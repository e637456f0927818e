// Why `batch/v1` refuses a schedule, in the words of kube-apiserver's parser (robfig/cron), which are part of the API. Whether
// it does is src/schedule's business.
import { parseSchedule } from "../../../schedule/parse_schedule.ts";
import { ScheduleError } from "../../../schedule/schedule_error.ts";

const MONTHS = names("jan feb mar apr may jun jul aug sep oct nov dec", 1);
const WEEKDAYS = names("sun mon tue wed thu fri sat", 0);
const DESCRIPTORS = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: ReadonlyMap<string, number>;
}

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: WEEKDAYS },
];

class Bad extends Error {}

/** Returns the parser's message; undefined for a schedule that it takes. `isTimeZone` decides over `TZ=` in front. */
export function cronExpressionError(text: string, isTimeZone: (name: string) => boolean): string | undefined {
  try {
    parseSchedule(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return wordsFor(text, isTimeZone) ?? error.message;
  }
}

function wordsFor(text: string, isTimeZone: (name: string) => boolean): string | undefined {
  try {
    parse(text, isTimeZone);
    return undefined;
  } catch (error) {
    if (error instanceof Bad) return error.message;
    throw error;
  }
}

function parse(text: string, isTimeZone: (name: string) => boolean): void {
  if (text === "") throw new Bad("empty spec string");
  let spec = text;
  if (/^(CRON_)?TZ=/.test(text)) {
    const space = text.indexOf(" ");
    const zone = text.slice(text.indexOf("=") + 1, space < 0 ? undefined : space);
    if (zone !== "" && !isTimeZone(zone)) throw new Bad(`provided bad location ${zone}: unknown time zone ${zone}`);
    spec = space < 0 ? "" : text.slice(space).trim();
  }
  if (spec.startsWith("@")) return checkDescriptor(spec);
  const fields = spec.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== FIELDS.length) {
    throw new Bad(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  }
  for (const [index, bounds] of FIELDS.entries()) {
    for (const part of fields[index]!.split(",")) if (part !== "") checkRange(part, bounds);
  }
}

function checkRange(text: string, { min, max, names }: Bounds): void {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const [first = "", last, ...moreEnds] = range.split("-");
  let start = min, end = max;
  if (first !== "*" && first !== "?") {
    start = readNumber(first, names);
    if (moreEnds.length > 0) throw new Bad(`too many hyphens: ${text}`);
    end = last === undefined ? start : readNumber(last, names);
  }
  let step = 1;
  if (moreSteps.length > 0) throw new Bad(`too many slashes: ${text}`);
  if (stepText !== undefined) {
    step = readNumber(stepText);
    if (last === undefined) end = max;
  }
  if (start < min) throw new Bad(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new Bad(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new Bad(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new Bad(`step of range should be a positive number: ${text}`);
}

function readNumber(text: string, names?: ReadonlyMap<string, number>): number {
  const named = names?.get(text.toLowerCase());
  if (named !== undefined) return named;
  if (!/^[+-]?\d+$/.test(text)) {
    throw new Bad(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  const number = Number(text);
  if (number < 0) throw new Bad(`negative number (${number}) not allowed: ${text}`);
  return number;
}

function checkDescriptor(text: string): void {
  if (DESCRIPTORS.includes(text)) return;
  const every = "@every ";
  if (!text.startsWith(every)) throw new Bad(`unrecognized descriptor: ${text}`);
  const problem = durationError(text.slice(every.length));
  if (problem) throw new Bad(`failed to parse duration ${text}: ${problem}`);
}

/** Go's messages about durations. */
function durationError(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return undefined;
  if (body === "") return `time: invalid duration ${quoted}`;
  for (let rest = body; rest !== "";) {
    const number = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) return `time: invalid duration ${quoted}`;
    rest = rest.slice(number.length);
    const unit = /^[^\d.]*/.exec(rest)![0];
    if (unit === "") return `time: missing unit in duration ${quoted}`;
    if (!["ns", "us", "µs", "μs", "ms", "s", "m", "h"].includes(unit)) {
      return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    }
    rest = rest.slice(unit.length);
  }
  return undefined;
}

function names(text: string, first: number): ReadonlyMap<string, number> {
  return new Map(text.split(" ").map((name, index) => [name, index + first]));
}
