import { BACKFILL } from "../../../src/cronjob/api/annotations.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { type EpochMs, parseTime } from "../../../src/base/epoch_ms.ts";
import type { History } from "./history.ts";
import { isBackfill } from "./history_jobs.ts";

/** The runs of the past that have, or had, a Job; in the order of creation. */
export function backfilledSlots(
  { server, setting }: History,
): { readonly id: string; readonly slot: EpochMs; readonly name: string }[] {
  const { scheduledTimeAnnotation } = setting.api;
  return server.created.map(({ job: { metadata } }) => ({
    id: metadata.annotations?.[BACKFILL]!,
    slot: parseTime(metadata.annotations?.[scheduledTimeAnnotation])!,
    name: metadata.name,
  })).filter(({ id }) => id !== undefined);
}

/** The scheduled times that have, or had, a Job; in the order of creation. */
export function startedSlots({ server, setting }: History): EpochMs[] {
  const { scheduledTimeAnnotation } = setting.api;
  return server.created.filter(({ job }) => !isBackfill(job))
    .map(({ job }) => parseTime(job.metadata.annotations?.[scheduledTimeAnnotation]))
    .filter((slot) => slot !== undefined);
}

/** Whether a time is still to come by more than clocks differ, so that only its Job or a record shows it. */
export function isFarAhead({ now, cronJob }: History, slot: EpochMs): boolean {
  return slot > now + 60_000 && slot > (parseTime(cronJob.status?.lastScheduleTime) ?? 0);
}

/** The scheduled times that an Event or, at any time, the status showed as refused or waiting. */
export function reportedSlots({ events, server }: History): Set<EpochMs> {
  const refusals = ["MissSchedule", "JobAlreadyActive", "JobQueued", "FailedCreate", "TooManyMissedTimes"];
  const said = events.filter(({ reason }) => refusals.includes(reason)).map(({ scheduledTime }) => scheduledTime);
  const statuses = server.collection("cronjobs").changes.map(({ object }) => (object as CronJobObject).status);
  const records = statuses.flatMap((status) => [
    status?.queuedScheduleTime,
    ...status?.recentRuns?.map(({ scheduledTime }) => scheduledTime) ?? [],
  ]);
  return new Set([...said, ...records.map(parseTime)].filter((slot) => slot !== undefined));
}
