import {
  BACKFILL,
  BACKFILL_PROGRESS,
  FAILED_RUNS,
  FAILURES,
  LAST_TRIGGER,
  OBSERVED_SCHEDULES,
  PASSED_OVER,
  TRIGGER,
  WAITING,
} from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { readCronJob } from "../cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";

/** What controllers wrote, and what was requested once. */
const PASSING = [
  BACKFILL,
  BACKFILL_PROGRESS,
  FAILED_RUNS,
  FAILURES,
  LAST_TRIGGER,
  OBSERVED_SCHEDULES,
  PASSED_OVER,
  TRIGGER,
  WAITING,
];

/** Returns the CronJob as if it had just been created: nothing of it has run. */
export function asNew({ flavour, object }: CronJob, createdAt: EpochMs): CronJob {
  const { annotations = {}, managedFields: _, ...metadata } = object.metadata;
  const { status: __, ...rest } = object;
  return readCronJob(flavour, {
    ...rest,
    metadata: {
      ...metadata,
      annotations: Object.fromEntries(Object.entries(annotations).filter(([name]) => !PASSING.includes(name))),
      generation: 1,
      creationTimestamp: formatTime(createdAt),
    },
    spec: { ...object.spec, backfill: undefined },
  } as CronJobObject);
}
