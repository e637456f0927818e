import { KUBERNETES_CLOCK_CHANGES } from "../schedule/clock_change_policy.ts";
import type { ClockChangePolicy } from "../schedule/schedule.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { parseSchedule } from "../schedule/parse_schedule.ts";
import { localTime, timeZone as zoneOf } from "../schedule/time_zone.ts";
import { cronRuns } from "./cron_runs.ts";
import type { CronTimes } from "./cron_times.ts";
import { CrontabError } from "./crontab_error.ts";

/** How many runs are compared, from now on and from each clock change on. */
const PROVED_RUNS = 100;

/** Where there are any, one forward and one backward. */
const PROVED_CLOCK_CHANGES = 2;

/** A schedule that is to stand for an entry. */
export interface ProposedSchedule {
  readonly text: string;
  readonly timeZone: string;
  /** Undefined: Kubernetes' own. */
  readonly clockChangePolicy: ClockChangePolicy | undefined;
}

/** cron's own rule for clock changes, where it is not Kubernetes'. */
export function clockChangePolicyOf({ isWildcard }: CronTimes): ClockChangePolicy | undefined {
  return isWildcard ? undefined : { gap: "RunAfter", overlap: "First" };
}

/**
 * Compares the next runs of an entry, by cron's rules, with those of the schedule. Returns where Kubernetes' rule for clock
 * changes makes them differ, if that is the schedule's.
 *
 * @throws {CrontabError} if they differ otherwise, or there are none
 */
export function difference(times: CronTimes, proposed: ProposedSchedule, now: EpochMs): string[] {
  const { text, timeZone, clockChangePolicy = KUBERNETES_CLOCK_CHANGES } = proposed;
  const differing = (zone: string, from: EpochMs) =>
    firstDifference(
      cronRuns(times, zone, from, PROVED_RUNS),
      scheduleRuns(parseSchedule(text, { timeZone: zone, clockChangePolicy }), from),
    );
  if (cronRuns(times, "UTC", now, 1).length === 0) throw new CrontabError("cron never runs it: there is no such date");
  const found = [now, ...beforeClockChanges(timeZone, now)].flatMap((from) => differing(timeZone, from));
  const keepsRule = times.isWildcard || proposed.clockChangePolicy !== undefined;
  if (differing("UTC", now).length > 0 || (keepsRule && found.length > 0)) {
    throw new CrontabError(`the schedule "${text}" would run at other times`);
  }
  const told = new Set(found.map(({ at, who }) => `only ${who} runs it at ${localTime(at, timeZone)}`));
  if (told.size === 0) return [];
  return [`clock changes: ${[...told].join(", ")}; --api cronjob-controller.dev/v1 keeps cron's rule`];
}

/** Returns the instants just before the next clock changes, or before the time that they repeat. */
function beforeClockChanges(zoneName: string, now: EpochMs): EpochMs[] {
  const zone = zoneOf(zoneName);
  const changes: EpochMs[] = [];
  for (let { end } = zone.periodAt(now); changes.length < PROVED_CLOCK_CHANGES && end < Infinity;) {
    changes.push(zone.firstInstantAt(zone.wallAt(end)) - 1);
    end = zone.periodAt(end).end;
  }
  return changes;
}

function scheduleRuns(schedule: { next(after: EpochMs): EpochMs | undefined }, from: EpochMs): EpochMs[] {
  const runs: EpochMs[] = [];
  for (let run = schedule.next(from); run !== undefined && runs.length < PROVED_RUNS; run = schedule.next(run)) {
    runs.push(run);
  }
  return runs;
}

/** Returns one at most. */
function firstDifference(
  cron: readonly EpochMs[],
  kubernetes: readonly EpochMs[],
): { at: EpochMs; who: "cron" | "Kubernetes" }[] {
  const index = Array.from({ length: PROVED_RUNS }, (_, i) => i).find((i) => cron[i] !== kubernetes[i]);
  if (index === undefined) return [];
  const [before = Infinity, after = Infinity] = [cron[index], kubernetes[index]];
  return [before < after ? { at: before, who: "cron" } : { at: after, who: "Kubernetes" }];
}
