import type { EnvVar } from "kubernetes-types/core/v1";
import type { Unstored } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { formatTime } from "../../base/epoch_ms.ts";
import { isObject } from "../../base/is_object.ts";
import { localTime } from "../../schedule/time_zone.ts";
import { BACKFILL, SCHEDULED_TIME, TRIGGER } from "../api/annotations.ts";
import type { CronJob } from "../api/cron_job.ts";
import { scheduledJobName, triggeredJobName } from "../api/job_name.ts";
import type { RunTrigger } from "../api/types.ts";
import type { RunRequest } from "./run_request.ts";

/**
 * Returns the Job for a run. It always has the same name, and that is the lock that makes a run happen once: a second
 * creation, by any client and at any time, is refused with `AlreadyExists`. What it shares with the template is read-only.
 *
 * The CRD lets any JSON be a template. What is not what a Job has there goes out as it is, for the API server to refuse.
 */
export function jobFor(cronJob: CronJob, request: RunRequest, finalizers?: readonly string[]): Unstored<Job> {
  const { flavour, object, settings, stewardship } = cronJob;
  const { metadata, spec } = partsOf(object.spec.jobTemplate);
  const { labels, annotations } = partsOf(metadata);
  const own = isObject(annotations) ? omit(annotations, BACKFILL) : annotations;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobNameFor(cronJob, request),
      namespace: object.metadata.namespace,
      labels: withOverrides(labels, {}),
      annotations: withOverrides(own, annotationsFor(cronJob, request)),
      ...finalizers && { finalizers },
      ownerReferences: [{
        apiVersion: flavour.apiVersion,
        kind: flavour.resource.kind,
        name: object.metadata.name,
        uid: object.metadata.uid,
        controller: stewardship.controlsJobs,
        blockOwnerDeletion: true,
      }],
    },
    spec: settings.exposeSchedule ? exposed(spec, request) : spec,
  } as unknown as Unstored<Job>;
}

/** Eleven characters at most more than the CronJob's name. */
export function jobNameFor({ flavour, metadata }: CronJob, request: RunRequest): string {
  switch (request.trigger) {
    case "Schedule":
      return scheduledJobName(metadata.name, flavour, request.scheduledTime);
    case "Manual":
      return triggeredJobName(metadata, request.id);
    case "Backfill":
      return request.jobName;
  }
}

function annotationsFor({ flavour, settings }: CronJob, request: RunRequest): Record<string, string> {
  if (request.trigger === "Manual") return { [TRIGGER]: request.id };
  const { scheduledTime } = request;
  const text = flavour.scheduledTimeInZone
    ? localTime(scheduledTime, settings.timeZone ?? "UTC")
    : formatTime(scheduledTime);
  const scheduled = { [flavour.scheduledTimeAnnotation]: text };
  return request.trigger === "Backfill" ? { ...scheduled, [BACKFILL]: request.id } : scheduled;
}

/** Returns a copy that says to the processes what they run for; what the template says under the same names stays. */
function exposed(jobSpec: unknown, request: RunRequest): unknown {
  if (!isObject(jobSpec) || !isObject(jobSpec.template)) return jobSpec;
  const { template } = jobSpec;
  const scheduledTime = formatTime(request.trigger === "Manual" ? request.at : request.scheduledTime);
  const trigger: RunTrigger = request.trigger;
  const scheduleName = request.trigger === "Schedule" ? request.scheduleName : undefined;
  const variables: EnvVar[] = [
    { name: "CRON_SCHEDULED_TIME", value: scheduledTime },
    { name: "CRON_TRIGGER", value: trigger },
    ...scheduleName === undefined ? [] : [{ name: "CRON_SCHEDULE_NAME", value: scheduleName }],
  ];
  return {
    ...jobSpec,
    template: {
      ...template,
      metadata: withAnnotation(template.metadata, { [SCHEDULED_TIME]: scheduledTime }),
      spec: isObject(template.spec) ? withVariables(template.spec, variables) : template.spec,
    },
  };
}

function withAnnotation(metadata: unknown, annotation: Mapping): unknown {
  const own = metadata ?? {};
  return isObject(own) ? { ...own, annotations: withDefaults(own.annotations, annotation) } : metadata;
}

function withVariables(podSpec: Mapping, variables: readonly EnvVar[]): Mapping {
  const lists = ["initContainers", "containers"].filter((name) => Array.isArray(podSpec[name]));
  const extend = (container: unknown) => isObject(container) ? withEnv(container, variables) : container;
  return {
    ...podSpec,
    ...Object.fromEntries(lists.map((name) => [name, (podSpec[name] as unknown[]).map(extend)])),
  };
}

function withEnv(container: Mapping, variables: readonly EnvVar[]): Mapping {
  const own = container.env ?? [];
  if (!Array.isArray(own)) return container;
  const names = new Set(own.map((variable) => isObject(variable) ? variable.name : undefined));
  return { ...container, env: [...variables.filter(({ name }) => !names.has(name)), ...own] };
}

type Mapping = Readonly<Record<string, unknown>>;

function partsOf(json: unknown): Mapping {
  return isObject(json) ? json : {};
}

/** A mark that all runs had would make them all runs of the past. */
function omit(mapping: Mapping, name: string): Mapping {
  if (!Object.hasOwn(mapping, name)) return mapping;
  const { [name]: _, ...rest } = mapping;
  return rest;
}

/** An absent value counts as empty; a value that is no mapping stays as it is. */
function withOverrides(json: unknown, overrides: Mapping): unknown {
  return isObject(json ?? {}) ? { ...json as Mapping, ...overrides } : json;
}

function withDefaults(json: unknown, defaults: Mapping): unknown {
  return isObject(json ?? {}) ? { ...defaults, ...json as Mapping } : json;
}
