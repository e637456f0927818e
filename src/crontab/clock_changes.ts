import type { EpochMs } from "../base/epoch_ms.ts";
import { touchedClockChanges } from "../schedule/clock_changes.ts";
import { parseSchedule } from "../schedule/parse_schedule.ts";
import { type ClockChangePolicy, KUBERNETES_CLOCK_CHANGES } from "../schedule/schedule.ts";
import { localTime } from "../schedule/time_zone.ts";
import type { CronTimes } from "./cron_times.ts";

/** One forward and one backward, where there are any. */
const COMPARED_CLOCK_CHANGES = 2;
const YEAR_MS = 366 * 86_400_000;

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
  const changes = touchedClockChanges(kubernetes, now, now + YEAR_MS).take(COMPARED_CLOCK_CHANGES);
  const notes = changes.flatMap(({ at }) => {
    const [ofCron = Infinity, ofKubernetes = Infinity] = [cron.next(at - 1), kubernetes.next(at - 1)];
    if (ofCron === ofKubernetes) return [];
    const by = ofCron < ofKubernetes ? "cron" : "Kubernetes";
    return [`only ${by} runs it at ${localTime(Math.min(ofCron, ofKubernetes), timeZone)}`];
  }).toArray();
  return notes.length === 0
    ? []
    : [`clock changes: ${notes.join(", ")}; --api cronjob-controller.dev/v1 keeps cron's rule`];
}
