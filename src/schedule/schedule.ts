import { CalendarSchedule } from "./calendar_schedule.ts";
import { type ClockChangePolicy, KUBERNETES_CLOCK_CHANGES } from "./clock_change_policy.ts";
import type { EpochMs } from "./epoch_ms.ts";
import { type GrammarOptions, parseGrammar } from "./grammar.ts";
import { IntervalSchedule } from "./interval_schedule.ts";
import { ScheduleError } from "./schedule_error.ts";
import { checkTimeZone, timeZone } from "./time_zone.ts";

/** When a CronJob runs. Immutable: CronJobs with the same text, zone and policy share one. */
export interface Schedule {
  readonly text: string;
  /** The zone whose wall clock counts: of the prefix, else as given, else `UTC`. `Local` stands resolved. */
  readonly timeZone: string;
  /** The interval of `@every`; undefined for a calendar schedule. */
  readonly everyMs?: number;
  /** What an interval is bound to; undefined for a calendar schedule, and for an interval that floats. */
  readonly anchor?: EpochMs;
  /** What becomes of runs inside clock changes; undefined for an interval, which knows none. */
  readonly clockChangePolicy?: ClockChangePolicy;
  /** Whether the fields allow no date at all, as `0 0 31 2 *`. */
  readonly neverRuns: boolean;
  /** The first run strictly after `after`; undefined when there is none up to the last instant that a Date can hold. */
  next(after: EpochMs): EpochMs | undefined;
  /** The last run strictly before `before`. */
  previous(before: EpochMs): EpochMs | undefined;
  /** The runs in `(from, to]`, found one by one as they are asked for. */
  between(from: EpochMs, to: EpochMs): Iterable<EpochMs>;
  /** How many runs lie in `(from, to]`, found without visiting them. */
  count(from: EpochMs, to: EpochMs): number;
  /**
   * Binds `@every D` to the grid `anchor + k * D` (k from 1); a calendar schedule has its own grid, and is given back as it
   * is. Without an anchor `@every` counts from the instant that is asked about.
   */
  anchoredAt(anchor: EpochMs): Schedule;
}

export interface ScheduleOptions extends GrammarOptions {
  /** `spec.timeZone`. @default {"UTC"} */
  readonly timeZone?: string;
  /** @default {KUBERNETES_CLOCK_CHANGES} */
  readonly clockChangePolicy?: Partial<ClockChangePolicy>;
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
