import type { DeepReadonly } from "../../kube/object.ts";
import { keyOf } from "../../kube/object.ts";
import { ownValue } from "../../base/own_value.ts";
import type { Exclusion } from "../../schedule/exclusions/exclusion.ts";
import { readExclusions } from "../../schedule/exclusions/read_exclusions.ts";
import { parseSchedule } from "../../schedule/parse_schedule.ts";
import { isTimeZone } from "../../schedule/time_zone.ts";
import { CATCH_UP, EXCLUDE, EXPECT, MANAGED, ON_EDIT, SCHEDULE, SCHEDULES, SUSPEND } from "./annotations.ts";
import { type ShapeRule, TIME_OF_DAY } from "./patterns.ts";
import { admitted, choice, parseAdmitted, type Schema } from "./schema.ts";
import {
  ANNOTATED_FIELDS,
  annotationOf,
  type ExpectSpec,
  EXTRA_SPEC_FIELDS,
  type ExtraSpec,
  type ScheduleEntry,
} from "./spec_fields.ts";
import type { Unreadable } from "./settings.ts";
import { MANAGED_VALUES } from "./stewardship.ts";
import type { CronJobObject } from "./types.ts";

/** The settings that the annotations of a `batch/v1` CronJob add to its spec. */
export interface ExtraAnnotations extends ExtraSpec {
  schedule?: string;
  onEdit?: "Latest" | "None";
  unreadable?: Unreadable;
  /** Each names an annotation that could not be read, what it says, what becomes of that, and what it may say. */
  problems: string[];
}

type Reader = (text: string, cronJob: DeepReadonly<CronJobObject>) => Partial<ExtraAnnotations>;

/** The annotations by which a user says how a CronJob is to run. A reader throws an Error that names the values. */
const SETTING_READERS: Readonly<Record<string, Reader>> = {
  [SCHEDULE]: (text, cronJob) => {
    const timeZone = cronJob.spec.timeZone ?? undefined;
    parseSchedule(text, { timeZone, grammar: "Extended", hashKey: keyOf(cronJob) });
    return { schedule: text };
  },
  [SCHEDULES]: (text, cronJob) => ({ schedules: readSchedules(text, cronJob) }),
  [ON_EDIT]: (text) => ({ onEdit: oneOf(text, ["Latest", "None"]) }),
  [CATCH_UP]: (text) => ({ catchUp: readCatchUp(text) }),
  [EXPECT]: (text) => ({ expect: readExpect(text) }),
  [EXCLUDE]: (text, cronJob) => ({ exclude: readExclude(text, cronJob.spec.timeZone ?? "UTC") }),
  ...Object.fromEntries(
    ANNOTATED_FIELDS.map((field): [string, Reader] => [
      annotationOf(field),
      (text) => ({ [field]: readAs(EXTRA_SPEC_FIELDS[field], text) }),
    ]),
  ),
};

/** Every annotation that is read: two more, of which the stewardship says what they mean. */
const READERS: Readonly<Record<string, Reader>> = {
  ...SETTING_READERS,
  [MANAGED]: (text) => oneOf(text, MANAGED_VALUES) && {},
  [SUSPEND]: (text) => oneOf(text, ["true", "false"]) && {},
};

/** Returns whether an annotation is read as a setting. */
export function isSetting(name: string): boolean {
  return Object.hasOwn(READERS, name);
}

/** Annotations that say how a `batch/v1` CronJob is to run. */
export const SETTING_ANNOTATIONS: ReadonlySet<string> = new Set(Object.keys(SETTING_READERS));

/**
 * The stand-in for a value that can't be read, where to leave it out would start runs that were not asked for: no
 * schedule comes of it. In quotes no text is one.
 */
const UNREADABLE: Readonly<Record<string, (text: string, message: string) => Partial<ExtraAnnotations>>> = {
  [SCHEDULES]: (text, message) => ({
    schedules: [{ schedule: JSON.stringify(text) }],
    unreadable: { reason: "UnparseableSchedule", message },
  }),
  [EXCLUDE]: (text, message) => ({
    exclude: [text as Exclusion],
    unreadable: { reason: "InvalidExclusion", message },
  }),
};

/** Returns what is wrong with a value of {@linkcode MANAGED} that is none of its words. */
export function managedProblem(text: string): string {
  return problemOf(MANAGED, text, `must be one of ${MANAGED_VALUES.join(", ")}`);
}

const LONG = 20;

function problemOf(name: string, text: string, reason: string): string {
  const stops = Object.hasOwn(UNREADABLE, name);
  const outcome = stops ? "cannot be read, so no scheduled run starts" : "is ignored";
  // Of long ones the reason names the place.
  const value = stops && text.length > LONG ? "" : `: ${JSON.stringify(text)}`;
  return `annotation ${name}${value} ${outcome}: ${reason}`;
}

/** Reads strictly: what is not understood counts as absent, or stops all scheduled runs, and is reported in `problems`. */
export function readAnnotations(cronJob: DeepReadonly<CronJobObject>): ExtraAnnotations {
  const extra: ExtraAnnotations = { problems: [] };
  for (const [name, text] of Object.entries(cronJob.metadata.annotations ?? {})) {
    const read = ownValue(READERS, name);
    if (!read) continue;
    try {
      Object.assign(extra, read(text, cronJob));
    } catch (error) {
      const problem = problemOf(name, text, (error as Error).message);
      Object.assign(extra, UNREADABLE[name]?.(text, problem));
      extra.problems.push(problem);
    }
  }
  return extra;
}

/** Reads what a field may hold, from text. */
function readAs(schema: Schema, text: string): unknown {
  if (schema.type === "boolean") return oneOf(text, ["true", "false"]) === "true";
  return admitted(schema, schema.type === "integer" && /^\d{1,10}$/.test(text) ? Number(text) : text);
}

/** Either a policy alone, or the JSON of the CRD's `spec.catchUp`. */
function readCatchUp(text: string): NonNullable<ExtraSpec["catchUp"]> {
  const schema = EXTRA_SPEC_FIELDS.catchUp;
  if (text.trimStart().startsWith("{")) return parseAdmitted(schema, text, '{"policy":"All","maxRuns":5}');
  return { policy: oneOf(text, ["Latest", "All", "None"]) };
}

/** Returns the JSON of the CRD's `spec.schedules`. */
function readSchedules(text: string, cronJob: DeepReadonly<CronJobObject>): readonly ScheduleEntry[] {
  const example = '[{"schedule":"0 6 * * 1-5"},{"schedule":"0 9 * * 6,0"}]';
  const entries = parseAdmitted(EXTRA_SPEC_FIELDS.schedules, text, example);
  for (const { schedule, timeZone = cronJob.spec.timeZone ?? undefined } of entries) {
    parseSchedule(schedule, { timeZone, grammar: "Extended", hashKey: keyOf(cronJob) });
  }
  return entries;
}

/** Returns the JSON of the CRD's `spec.expect`. */
function readExpect(text: string): ExpectSpec {
  const expect = parseAdmitted(EXTRA_SPEC_FIELDS.expect, text, '{"startWithinSeconds":300,"finishBy":"06:00"}');
  const { finishBy } = expect;
  const [{ pattern, message }] = TIME_OF_DAY.rules as [ShapeRule];
  if (finishBy !== undefined && !new RegExp(pattern).test(finishBy)) throw new Error(`finishBy ${message}`);
  return expect;
}

/** Returns the JSON of the CRD's `spec.exclude`. */
function readExclude(text: string, zone: string): Exclusion[] {
  const exclude = JSON.parse(text);
  if (!Array.isArray(exclude)) throw new Error('must be a list, such as [{"dates":["2026-12-25"]}]');
  if (isTimeZone(zone)) readExclusions(exclude, zone);
  return exclude;
}

function oneOf<const Value extends string>(text: string, values: readonly Value[]): Value {
  return admitted(choice(values, ""), text);
}
