// Why `batch/v1` refuses a schedule, in the words of kube-apiserver's parser (robfig/cron), which are part of the API. Whether
// it does is src/schedule's business.
import { parseSchedule } from "../../../schedule/parse_schedule.ts";
import { ScheduleError } from "../../../schedule/schedule_error.ts";

const DESCRIPTORS = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Of the least and those after it. */
  readonly names?: readonly string[];
}

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { min: 0, max: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];

class Bad extends Error {}

/** Returns the parser's message; undefined for a schedule that it takes. `isTimeZone` decides over `TZ=` in front. */
export function cronExpressionError(text: string, isTimeZone: (name: string) => boolean): string | undefined {
  const refused = refusalOf(ScheduleError, () => parseSchedule(text));
  return refused && (refusalOf(Bad, () => parse(text, isTimeZone)) ?? refused);
}

function refusalOf(kind: typeof ScheduleError | typeof Bad, read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof kind) return error.message;
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

function checkRange(text: string, { min, max, names = [] }: Bounds): void {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const [first = "", last, ...moreEnds] = range.split("-");
  let start = min, end = max;
  if (first !== "*" && first !== "?") {
    start = readNumber(first, min, names);
    if (moreEnds.length > 0) throw new Bad(`too many hyphens: ${text}`);
    end = last === undefined ? start : readNumber(last, min, names);
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

function readNumber(text: string, first = 0, names: readonly string[] = []): number {
  const index = names.indexOf(text.toLowerCase());
  if (index >= 0) return first + index;
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
  let rest = text.replace(/^[+-]/, "");
  if (rest === "0") return undefined;
  do {
    const [part, unit = ""] = /^(?:\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
    if (part === undefined) return `time: invalid duration ${quoted}`;
    if (unit === "") return `time: missing unit in duration ${quoted}`;
    if (!["ns", "us", "µs", "μs", "ms", "s", "m", "h"].includes(unit)) {
      return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    }
    rest = rest.slice(part.length);
  } while (rest !== "");
  return undefined;
}
