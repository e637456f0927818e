import type { Advice, CheckOfServer, FieldError, Json } from "../../apiserver/resource_kind.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import { readSettings } from "../../cronjob/api/read_settings.ts";
import type { Flavour } from "../../cronjob/api/flavour.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { adviceOn } from "../../cronjob/decision/find.ts";
import { RUNTIME_ANNOTATION } from "../../kubelet/runtimes.ts";
import { processRefusal, type Self } from "../../kubelet/process/refusal.ts";
import type { RuntimeName } from "../../kubelet/files/run_files.ts";
import { scheduleFindings } from "../../lint/schedule_findings.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";

/** The runtime of Pods whose CronJobs choose none, and the user of plain processes. */
export interface RunsPods {
  readonly runtime: RuntimeName | undefined;
  readonly self: Self;
}

/**
 * Returns the warnings of the embedded API server to the author of a CronJob of these flavours that cannot be followed, or
 * whose Pods cannot run as processes of this machine. Without `runsPods` no Pods run here.
 */
export function cronJobAdvice(flavours: readonly Flavour[], runsPods?: RunsPods): Record<string, Advice> {
  return byKind(flavours, (flavour) => (object: Json, now: EpochMs) => {
    const cronJob = readCronJob(flavour, withType(flavour, object as CronJobObject));
    return [...adviceOn({ cronJob, jobs: [], now }), ...runsPods ? podAdvice(object, runsPods) : []];
  });
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

/**
 * Returns the checks by which the embedded API server refuses a CronJob of these flavours whose schedules, zones or
 * exclusions the controller cannot read. The rules in the definitions' schemas are for servers that do not have the parser.
 */
export function cronJobChecks(flavours: readonly Flavour[]): Record<string, CheckOfServer> {
  return byKind(
    flavours,
    (api) => (object: Json) =>
      scheduleFindings({ api, object }, readSettings(api, object as CronJobObject))
        .map(({ field, message }): FieldError => ({ type: "FieldValueInvalid", field, detail: message })),
  );
}

/** Returns what the embedded API server is to do with CronJobs of each flavour. */
export function byKind<T>(flavours: readonly Flavour[], make: (flavour: Flavour) => T): Record<string, T> {
  return Object.fromEntries(
    flavours.map((flavour) => [`${flavour.apiVersion} ${flavour.resource.kind}`, make(flavour)]),
  );
}
