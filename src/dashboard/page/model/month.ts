import type { Calendar } from "../../wire.ts";
import type { RunViewOutcome } from "../../../view/cron_job_view.ts";
import { gapInWords } from "../../../view/watched.ts";
import { timeIn, wallOf } from "../../../schedule/full_time.ts";
import { timeZone } from "../../../schedule/time_zone.ts";
import { OUTCOMES } from "../parts/run_shapes.tsx";

const DAY_MS = 86_400_000;
/** So many gaps of a day are named one by one. */
const NAMED_GAPS = 3;

/** A month by the calendar of a zone. */
export interface Month {
  /** `November 2026` */
  readonly name: string;
  /** `2026-11-01` and so on. */
  readonly dates: readonly string[];
  /** How many days of its first week are of the month before; weeks begin on Monday. */
  readonly before: number;
}

export interface Day {
  readonly date: string;
  /** The worst outcome of its runs; absent where there are none. */
  readonly worst?: RunViewOutcome;
  /** `2 failed, 22 succeeded`; of a day to come, how many are planned; and why runs may be missing. */
  readonly says: string;
  /** How many runs it had, or of those that did not all succeed `2/24`. */
  readonly short: string;
  readonly isKnown: boolean;
}

const NAMES = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/** Returns the month so many months after one, each as in `2026-11`. */
export function monthAfter(month: string, months: number): string {
  const first = new Date(month);
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + months)).toISOString().slice(0, 7);
}

/** Returns what a calendar shows of a month. */
export function monthOf(month: string): Month {
  const [first, next] = [Date.parse(month), Date.parse(monthAfter(month, 1))];
  return {
    name: NAMES.format(first),
    dates: Array.from(
      { length: (next - first) / DAY_MS },
      (_, day) => new Date(first + day * DAY_MS).toISOString().slice(0, 10),
    ),
    before: (new Date(first).getUTCDay() + 6) % 7,
  };
}

/** Returns the first and the last instant of a month or a day, as in `2026-11-14`; undefined for other text. */
export function spanOf(days: string, zone: string): { readonly from: number; readonly to: number } | undefined {
  const first = /^\d{4}-\d\d(-\d\d)?$/.test(days) ? Date.parse(days) : NaN;
  if (Number.isNaN(first)) return undefined;
  const next = days.length === 7 ? Date.parse(monthAfter(days, 1)) : first + DAY_MS;
  const [from, to] = [first, next].map((wall) => timeZone(zone).firstInstantAt(wall)) as [number, number];
  return { from, to: to - 1 };
}

/** Returns what became of the runs of each day of a month, what is planned, and where runs may be missing. */
export function daysOf({ dates }: Month, calendar: Calendar, zone: string): Day[] {
  const { runs, planned, hasMore, knownSince = -Infinity, gaps } = calendar;
  const since = Math.max(knownSince, calendar.cutAt ?? -Infinity);
  const byDate = Map.groupBy(runs, ([at]) => wallOf(at, zone).date);
  const plannedOn = Map.groupBy(planned, (at) => wallOf(at, zone).date);
  const plannedTo = hasMore ? wallOf(planned.at(-1)!, zone).date : undefined;
  return dates.map((date) => {
    const { from, to } = spanOf(date, zone)!;
    const outcomes = (byDate.get(date) ?? []).map(([, outcome]) => outcome);
    const counts = (Object.keys(OUTCOMES) as RunViewOutcome[]).flatMap((outcome) => {
      const count = outcomes.filter((one) => one === outcome).length;
      return count === 0 ? [] : [{ outcome, count }];
    });
    const unwatched = gaps.filter(([since, until]) => since <= to && until >= from)
      .map(([since, until]) => `history was not kept ${gapInWords({ since, until }, zone)}`);
    const missing = [
      ...from < since ? [`runs may be missing before ${timeIn(zone, since)}`] : [],
      ...unwatched.length > NAMED_GAPS ? [`history was not kept ${unwatched.length} times`] : unwatched,
    ];
    const toCome = plannedOn.get(date)?.length;
    const hasMoreToCome = plannedTo !== undefined && date >= plannedTo;
    const plan = hasMoreToCome ? ["more planned"] : toCome ? [`${toCome} planned`] : [];
    const [worst] = counts;
    return {
      date,
      ...worst && { worst: worst.outcome },
      says: [...counts.map(({ outcome, count }) => `${count} ${OUTCOMES[outcome]}`), ...plan, ...missing].join(", "),
      short: !worst ? "" : worst.count === outcomes.length ? `${worst.count}` : `${worst.count}/${outcomes.length}`,
      isKnown: missing.length === 0,
    };
  });
}

/** Returns a part of a calendar with the part that was asked for where it was cut. */
export function withEarlier(newer: Calendar, earlier: Calendar | undefined): Calendar {
  const { cutAt } = newer;
  if (cutAt === undefined || !earlier) return newer;
  const runs = [...newer.runs.filter(([at]) => at > cutAt), ...earlier.runs.filter(([at]) => at <= cutAt)];
  return { ...newer, runs, cutAt: earlier.cutAt };
}
