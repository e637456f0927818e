import { KUBERNETES_CLOCK_CHANGES } from "../schedule/schedule.ts";
import type { ClockChangePolicy, Schedule } from "../schedule/schedule.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { parseSchedule } from "../schedule/parse_schedule.ts";
import { localTime, timeZone as zoneOf } from "../schedule/time_zone.ts";
import type { CronTimes } from "./cron_times.ts";

/** One forward and one backward, where there are any. */
const COMPARED_CLOCK_CHANGES = 2;

/** A difference shows within so many runs after the beginning of a clock change. */
const COMPARED_RUNS = 100;

/** cron's own rule for clock changes, where it is not Kubernetes'. */
export function clockChangePolicyOf({ isWildcard }: CronTimes): ClockChangePolicy | undefined {
  return isWildcard ? undefined : { gap: "RunAfter", overlap: "First" };
}

/** Says where cron and Kubernetes run a schedule at different times, around the next clock changes. */
export function differences(text: string, times: CronTimes, timeZone: string, now: EpochMs): string[] {
  const clockChangePolicy = clockChangePolicyOf(times);
  if (!clockChangePolicy) return [];
  const cron = parseSchedule(text, { timeZone, clockChangePolicy });
  const kubernetes = parseSchedule(text, { timeZone, clockChangePolicy: KUBERNETES_CLOCK_CHANGES });
  const found = beforeClockChanges(timeZone, now).flatMap((from) => firstDifference(cron, kubernetes, from));
  if (found.length === 0) return [];
  const told = found.map(({ at, by }) => `only ${by} runs it at ${localTime(at, timeZone)}`).join(", ");
  return [`clock changes: ${told}; --api cronjob-controller.dev/v1 keeps cron's rule`];
}

/** Returns the instants just before the next clock changes, or before the time that they repeat. */
function beforeClockChanges(zoneName: string, now: EpochMs): EpochMs[] {
  const zone = zoneOf(zoneName);
  const changes: EpochMs[] = [];
  for (let { end } = zone.periodAt(now); changes.length < COMPARED_CLOCK_CHANGES && end < Infinity;) {
    changes.push(zone.firstInstantAt(zone.wallAt(end)) - 1);
    end = zone.periodAt(end).end;
  }
  return changes;
}

/** Returns one at most. */
function firstDifference(
  cron: Schedule,
  kubernetes: Schedule,
  from: EpochMs,
): { at: EpochMs; by: "cron" | "Kubernetes" }[] {
  let at = from;
  for (let i = 0; i < COMPARED_RUNS; i++) {
    const [ofCron = Infinity, ofKubernetes = Infinity] = [cron.next(at), kubernetes.next(at)];
    if (ofCron < ofKubernetes) return [{ at: ofCron, by: "cron" }];
    if (ofKubernetes < ofCron) return [{ at: ofKubernetes, by: "Kubernetes" }];
    if (ofCron === Infinity) break;
    at = ofCron;
  }
  return [];
}
