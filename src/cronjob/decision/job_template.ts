import type { Container, EnvVar } from "kubernetes-types/core/v1";
import type { Unstored } from "../../kube/object.ts";
import { apiVersionOf, type Job } from "../../kube/resource.ts";
import { formatTime } from "../../schedule/epoch_ms.ts";
import { localTime } from "../../schedule/time_zone.ts";
import { SCHEDULED_TIME, TRIGGER } from "../api/annotations.ts";
import type { CronJob } from "../api/cron_job.ts";
import { scheduledJobName, triggeredJobName } from "../api/job_name.ts";
import type { CronJobObject, RunTrigger } from "../api/types.ts";
import type { RunRequest } from "./run_request.ts";

/** Kubernetes' limit for the name of a Job, whose Pods carry it as a label. */
export const MAX_JOB_NAME_LENGTH = 63;

/**
 * Returns the Job for a run. It always has the same name, and that is the lock that makes a run happen once: a second
 * creation, whoever sends it and whenever, is refused with `AlreadyExists`. What it shares with the template is read-only.
 */
export function jobFor(cronJob: CronJob, request: RunRequest): Unstored<Job> {
  const { flavour, object, settings, stewardship } = cronJob;
  const { metadata, spec } = object.spec.jobTemplate as CronJobObject["spec"]["jobTemplate"];
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobNameFor(cronJob, request),
      namespace: object.metadata.namespace,
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, ...annotationsFor(cronJob, request) },
      ownerReferences: [{
        apiVersion: apiVersionOf(flavour.resource),
        kind: flavour.resource.kind,
        name: object.metadata.name,
        uid: object.metadata.uid,
        controller: stewardship.controlsJobs,
        blockOwnerDeletion: true,
      }],
    },
    spec: settings.exposeSchedule ? exposed(spec, request) : spec,
  } as Unstored<Job>;
}

/** Eleven characters at most more than the CronJob's name. */
export function jobNameFor({ flavour, metadata }: CronJob, request: RunRequest): string {
  return request.trigger === "Schedule"
    ? scheduledJobName(metadata.name, flavour, request.scheduledTime)
    : triggeredJobName(metadata, request.id);
}

function annotationsFor({ flavour, settings }: CronJob, request: RunRequest): Record<string, string> {
  if (request.trigger === "Manual") return { [TRIGGER]: request.id };
  const { scheduledTime } = request;
  const text = flavour.scheduledTimeInZone
    ? localTime(scheduledTime, settings.timeZone ?? "UTC")
    : formatTime(scheduledTime);
  return { [flavour.scheduledTimeAnnotation]: text };
}

/** A copy that says to the processes what they run for; what the template says under the same names stays. */
function exposed(spec: Job["spec"], request: RunRequest): Job["spec"] {
  const copy = structuredClone(spec)!;
  const { template } = copy;
  const scheduledTime = formatTime(request.trigger === "Schedule" ? request.scheduledTime : request.at);
  template.metadata = {
    ...template.metadata,
    annotations: { [SCHEDULED_TIME]: scheduledTime, ...template.metadata?.annotations },
  };
  const trigger: RunTrigger = request.trigger;
  const variables: EnvVar[] = [
    { name: "CRON_SCHEDULED_TIME", value: scheduledTime },
    { name: "CRON_TRIGGER", value: trigger },
  ];
  const containers: Container[] = [...template.spec?.initContainers ?? [], ...template.spec?.containers ?? []];
  for (const container of containers) {
    const own = container.env ?? [];
    container.env = [...variables.filter(({ name }) => !own.some((set) => set.name === name)), ...own];
  }
  return copy;
}
