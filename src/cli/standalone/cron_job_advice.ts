import type { Advice, Json } from "../../apiserver/resource_kind.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import type { Flavour } from "../../cronjob/api/flavour.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { adviceOn } from "../../cronjob/decision/find.ts";
import { RUNTIME_ANNOTATION } from "../../kubelet/runtimes.ts";
import { processRefusal, type Self } from "../../kubelet/process/refusal.ts";
import type { RuntimeName } from "../../kubelet/files/run_files.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";

/** What runs the Pods of CronJobs that choose nothing, and as whom plain processes run. */
export interface RunsPods {
  readonly runtime: RuntimeName | undefined;
  readonly self: Self;
}

/**
 * Returns the warnings of the embedded API server to the author of a CronJob of these flavours that cannot be followed, or
 * whose Pods cannot run as processes of this machine. Without `runsPods` no Pods run here.
 */
export function cronJobAdvice(flavours: readonly Flavour[], runsPods?: RunsPods): Record<string, Advice> {
  return Object.fromEntries(flavours.map((flavour) => {
    const { resource } = flavour;
    const advise = (object: Json, now: EpochMs) => {
      const cronJob = readCronJob(flavour, withType(flavour, object as CronJobObject));
      return [...adviceOn({ cronJob, jobs: [], now }), ...runsPods ? podAdvice(object, runsPods) : []];
    };
    return [`${apiVersionOf(resource)} ${resource.kind}`, advise];
  }));
}

function podAdvice({ spec }: Json, { runtime, self }: RunsPods): string[] {
  const template = spec?.jobTemplate?.spec?.template;
  if ((template?.metadata?.annotations?.[RUNTIME_ANNOTATION] ?? runtime) !== "process") return [];
  try {
    const refusal = processRefusal(template.spec, self);
    return refusal ? [`its Pods cannot run here: ${refusal.reason}: ${refusal.message}`] : [];
  } catch {
    // The CRDs take any template: each Job of this one is refused.
    return [];
  }
}
