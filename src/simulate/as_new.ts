import { isSetting } from "../cronjob/api/annotation_settings.ts";
import { PAUSE } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { readCronJob } from "../cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";

/** Returns the CronJob as if it had just been created: nothing of it has run, and nothing was requested. */
export function asNew({ flavour, object }: CronJob, createdAt: EpochMs): CronJob {
  const { annotations = {}, managedFields: _, ...metadata } = object.metadata;
  const { status: __, ...rest } = object;
  const kept = Object.entries(annotations).filter(([name]) => isSetting(name) || name === PAUSE);
  return readCronJob(flavour, {
    ...rest,
    metadata: {
      ...metadata,
      annotations: Object.fromEntries(kept),
      generation: 1,
      creationTimestamp: formatTime(createdAt),
    },
    spec: { ...object.spec, backfill: undefined },
  } as CronJobObject);
}
