import type { Container, EnvVar } from "kubernetes-types/core/v1";
import type { DeepReadonly, Unstored } from "../../kube/object.ts";
import { apiVersionOf, type Job } from "../../kube/resource.ts";
import { type EpochMs, formatTime } from "../../schedule/epoch_ms.ts";
import { stableHash } from "../../schedule/stable_hash.ts";
import { localTime } from "../../schedule/time_zone.ts";
import { SCHEDULED_TIME, TRIGGER } from "../api/annotations.ts";
import type { CronJobApi } from "../api/flavour.ts";
import { regimeOf } from "../api/stewardship.ts";
import type { Settings } from "../api/settings.ts";
import type { CronJobObject, RunTrigger } from "../api/types.ts";

/** What a run stands for: a time of the schedule, or a person's wish. */
export type Occasion =
  | { readonly trigger: "Schedule"; readonly scheduledTime: EpochMs }
  | { readonly trigger: "Manual"; readonly id: string; readonly at: EpochMs };

/** Kubernetes' limit for the name of a Job, whose Pods carry it as a label. */
export const MAX_JOB_NAME_LENGTH = 63;

/**
 * The Job for an occasion. It always has the same name, and that is the lock that makes a run happen once: a second
 * creation, from whomever and whenever, is refused with `AlreadyExists`.
 */
export function jobFor(
  { api, cronJob, settings, occasion }: {
    api: CronJobApi;
    cronJob: DeepReadonly<CronJobObject>;
    settings: Settings;
    occasion: Occasion;
  },
): Unstored<Job> {
  const { metadata, ...template } = structuredClone(cronJob.spec.jobTemplate) as CronJobObject["spec"]["jobTemplate"];
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobNameFor(api, cronJob, occasion),
      namespace: cronJob.metadata.namespace,
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, ...annotationsFor(api, settings, occasion) },
      ownerReferences: [{
        apiVersion: apiVersionOf(api.resource),
        kind: api.resource.kind,
        name: cronJob.metadata.name,
        uid: cronJob.metadata.uid,
        controller: regimeOf(api, cronJob).controlsJobs,
        blockOwnerDeletion: true,
      }],
    },
    spec: template.spec,
  } as Unstored<Job>;
  if (settings.exposeSchedule) expose(job, occasion);
  return job;
}

/** `<name>-<units since 1970>`, or `<name>-m<hash of the trigger>`: eleven characters at most more than the CronJob's name. */
export function jobNameFor(api: CronJobApi, cronJob: DeepReadonly<CronJobObject>, occasion: Occasion): string {
  const end = occasion.trigger === "Schedule"
    ? String(Math.floor(occasion.scheduledTime / (api.nameUnitSeconds * 1000)))
    : `m${shortHash(`${cronJob.metadata.uid}/${occasion.id}`)}`;
  return `${cronJob.metadata.name}-${end}`;
}

function annotationsFor(api: CronJobApi, settings: Settings, occasion: Occasion): Record<string, string> {
  if (occasion.trigger === "Manual") return { [TRIGGER]: occasion.id };
  const { scheduledTime } = occasion;
  const text = api.scheduledTimeInZone
    ? localTime(scheduledTime, settings.timeZone ?? "UTC")
    : formatTime(scheduledTime);
  return { [api.scheduledTimeAnnotation]: text };
}

/** Tells the processes what they run for; what the template says under the same names stays. */
function expose(job: Unstored<Job>, occasion: Occasion): void {
  const template = job.spec!.template;
  const scheduledTime = formatTime(occasion.trigger === "Schedule" ? occasion.scheduledTime : occasion.at);
  template.metadata = {
    ...template.metadata,
    annotations: { [SCHEDULED_TIME]: scheduledTime, ...template.metadata?.annotations },
  };
  const trigger: RunTrigger = occasion.trigger;
  const variables: EnvVar[] = [
    { name: "CRON_SCHEDULED_TIME", value: scheduledTime },
    { name: "CRON_TRIGGER", value: trigger },
  ];
  const containers: Container[] = [...template.spec?.initContainers ?? [], ...template.spec?.containers ?? []];
  for (const container of containers) {
    const own = container.env ?? [];
    container.env = [...variables.filter(({ name }) => !own.some((set) => set.name === name)), ...own];
  }
}

/** Seven characters: enough to tell the triggers of one CronJob apart. */
function shortHash(text: string): string {
  return stableHash(text).toString(32).padStart(7, "0");
}
