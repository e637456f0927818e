import { CalendarSchedule } from "./calendar_schedule.ts";
import { type ClockChangePolicy, KUBERNETES_CLOCK_CHANGES, type Schedule } from "./schedule.ts";
import { type GrammarOptions, parseGrammar } from "./grammar.ts";
import { IntervalSchedule } from "./interval_schedule.ts";
import { ScheduleError } from "./schedule_error.ts";
import { timeZone } from "./time_zone.ts";
import { checkTimeZone } from "./check_time_zone.ts";

export interface ScheduleOptions extends GrammarOptions {
  /** `spec.timeZone`. @default {"UTC"} */
  readonly timeZone?: string | undefined;
  /** @default {KUBERNETES_CLOCK_CHANGES} */
  readonly clockChangePolicy?: Partial<ClockChangePolicy> | undefined;
}

/** Enough for every CronJob of a large cluster, at most a few kilobytes each. Beyond it, all are read anew. */
const KEPT_SCHEDULES = 20_000;
const LONGEST_KEPT_TEXT = 200;
const schedules = new Map<string, Schedule>();

/**
 * Reads a schedule: all that Kubernetes takes, and nothing else but what the options add to the grammar.
 *
 * @throws {ScheduleError} whose message says which field is wrong, the text there, and the remedy.
 */
export function parseSchedule(text: string, options: ScheduleOptions = {}): Schedule {
  const { timeZone: zoneName = "", grammar } = options;
  const policy = { ...KUBERNETES_CLOCK_CHANGES, ...options.clockChangePolicy };
  const hashKey = text.includes("H") ? options.hashKey : undefined;
  const key = [text, zoneName, grammar ?? "", hashKey ?? "", policy.gap, policy.overlap].join("\0");
  const known = schedules.get(key);
  if (known !== undefined) return known;
  const schedule = readSchedule(text, zoneName, { grammar, hashKey }, policy);
  if (text.length <= LONGEST_KEPT_TEXT) {
    if (schedules.size >= KEPT_SCHEDULES) schedules.clear();
    schedules.set(key, schedule);
  }
  return schedule;
}

function readSchedule(text: string, zoneName: string, options: GrammarOptions, policy: ClockChangePolicy): Schedule {
  const parsed = parseGrammar(text, options);
  if (zoneName !== "") {
    if (parsed.zone !== undefined) {
      throw new ScheduleError("schedule", text, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    }
    checkTimeZone(zoneName);
  }
  const zone = timeZone(parsed.zone ?? (zoneName || "UTC"));
  return parsed.kind === "every"
    ? new IntervalSchedule(text, parsed.everyMs, zone.name)
    : new CalendarSchedule(text, parsed.fields, zone, policy);
}
