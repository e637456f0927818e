import type { TimelineRow } from "../../wire.ts";
import type { RunViewOutcome } from "../../../view/cron_job_view.ts";
import { wallOf } from "../../../schedule/full_time.ts";
import { timeZone } from "../../../schedule/time_zone.ts";
import { OUTCOMES } from "../parts/run_shapes.tsx";

/** A month by the calendar of a zone. */
export interface Month {
  /** `November 2026` */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** `2026-11-01` and so on. */
  readonly dates: readonly string[];
  /** How many days of its first week are of the month before; weeks begin on Monday. */
  readonly before: number;
}

export interface Day {
  readonly date: string;
  /** The worst outcome of its runs; absent where there are none. */
  readonly worst?: RunViewOutcome;
  /** `2 failed, 22 succeeded`; of a day to come, how many are planned; or that not all is known. */
  readonly says: string;
  /** How many runs it had, or of those that did not all succeed `2/24`. */
  readonly short: string;
  readonly isKnown: boolean;
}

const NAMES = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/** Returns the month in which an instant lies, or one so many months before that. */
export function monthOf(at: number, zone: string, back: number): Month {
  const [year = 0, month = 0] = wallOf(at, zone).date.split("-").map(Number);
  const [first, next] = [Date.UTC(year, month - 1 - back), Date.UTC(year, month - back)];
  const instant = (wall: number) => wall - timeZone(zone).periodAt(wall).offsetMs;
  return {
    name: NAMES.format(first),
    from: instant(first),
    to: instant(next),
    dates: Array.from(
      { length: (next - first) / 86_400_000 },
      (_, day) => new Date(first + day * 86_400_000).toISOString().slice(0, 10),
    ),
    before: (new Date(first).getUTCDay() + 6) % 7,
  };
}

/** Returns what became of the runs of each day, and what is planned. */
export function daysOf(
  { dates }: Month,
  { runs, planned, knownSince = -Infinity }: Pick<TimelineRow, "runs" | "planned" | "knownSince">,
  zone: string,
): Day[] {
  const byDate = Map.groupBy(runs, ({ at }) => wallOf(at, zone).date);
  const plannedOn = Map.groupBy(planned, (at) => wallOf(at, zone).date);
  const firstKnown = knownSince === -Infinity ? "" : wallOf(knownSince, zone).date;
  return dates.map((date) => {
    const outcomes = (byDate.get(date) ?? []).map(({ outcome }) => outcome);
    const counts = (Object.keys(OUTCOMES) as RunViewOutcome[]).flatMap((outcome) => {
      const count = outcomes.filter((one) => one === outcome).length;
      return count === 0 ? [] : [{ outcome, count }];
    });
    const isKnown = date >= firstKnown;
    const toCome = plannedOn.get(date)?.length ?? 0;
    const [worst] = counts;
    const said = counts.map(({ outcome, count }) => `${count} ${OUTCOMES[outcome]}`);
    return {
      date,
      ...worst && { worst: worst.outcome },
      says: [...said, ...toCome > 0 ? [`${toCome} planned`] : [], ...isKnown ? [] : ["not all is known"]].join(", "),
      short: !worst ? "" : worst.count === outcomes.length ? `${worst.count}` : `${worst.count}/${outcomes.length}`,
      isKnown,
    };
  });
}
