import type { Advice, Json } from "../../apiserver/resource_kind.ts";
import { readCronJob, withType } from "../../cronjob/api/cron_job.ts";
import type { Flavour } from "../../cronjob/api/flavour.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { adviceOn } from "../../cronjob/decision/decide.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";

/** Returns what the embedded API server says to who writes a CronJob of these flavours that can't be followed. */
export function cronJobAdvice(flavours: readonly Flavour[]): Record<string, Advice> {
  return Object.fromEntries(flavours.map((flavour) => {
    const { resource } = flavour;
    const advise = (object: Json, now: EpochMs) => {
      const cronJob = readCronJob(flavour, withType(flavour, object as CronJobObject));
      return adviceOn({ cronJob, jobs: [], now });
    };
    return [`${apiVersionOf(resource)} ${resource.kind}`, advise];
  }));
}
