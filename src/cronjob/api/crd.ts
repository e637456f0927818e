import type { KubeObject, Unstored } from "../../kube/object.ts";
import { type Flavour, FLAVOURS } from "./flavour.ts";
import { MAX_JOB_NAME_LENGTH } from "./job_name.ts";
import { TIME_ZONE } from "./patterns.ts";
import { choice, count, flag, object, schedule, type Schema, shaped } from "./schema.ts";
import { EXTRA_SPEC_FIELDS } from "./spec_fields.ts";
import { STATUS_FIELDS } from "./status_fields.ts";

export interface CustomResourceDefinition extends KubeObject {
  spec: Record<string, unknown>;
}

/** The fields of Kubernetes' own CronJob, with the tutorial's markers. */
const nativeSpec = ({ historyLimits: { successful, failed } }: Flavour): Record<string, Schema> => ({
  schedule: {
    ...schedule(
      "When to run, in Cron format: five fields, a descriptor such as @daily, or @every 5s. H stands for a value of the " +
        "CronJob's own. Day-of-month also takes L (the last day), L-3 (three days before it), 15W (the weekday, Monday to " +
        "Friday, nearest to the 15th in the month) and LW; day-of-week also takes FRI#2 (the second Friday), FRIL (the last " +
        "one) and 7 for Sunday.",
    ),
    minLength: 0,
  },
  startingDeadlineSeconds: count(
    "How many seconds after its scheduled time a run may still start. A run that could not is missed.",
    0,
    "int64",
  ),
  concurrencyPolicy: {
    ...choice(
      ["Allow", "Forbid", "Replace", "Queue"],
      "What to do when a run is due while another is active: start it beside (Allow), start it once " +
        "the active one has ended, inside its deadline (Forbid), stop the active one (Replace), or start it once the " +
        "active one has ended, without a deadline (Queue). A later time takes the place of one that waits.",
    ),
    default: "Allow",
  },
  suspend: flag("Start nothing as long as this is true. Active runs go on."),
  jobTemplate: {
    type: "object",
    description:
      "The Job that each run creates: a batch/v1 JobTemplateSpec. Fields of any Kubernetes version are kept.",
    "x-kubernetes-preserve-unknown-fields": true,
  },
  successfulJobsHistoryLimit: count(
    `How many finished Jobs to keep that succeeded. ${successful ?? "All"}, if not set.`,
  ),
  failedJobsHistoryLimit: count(`How many finished Jobs to keep that failed. ${failed ?? "All"}, if not set.`),
  timeZone: shaped(
    TIME_ZONE,
    "The zone whose wall clock the schedule means, by its tz name such as Europe/Berlin. UTC, if not set.",
  ),
});

const COLUMNS = [
  // All of them, where there are several: spec.schedule has one at most.
  { name: "Schedule", type: "string", jsonPath: ".status.schedule.text" },
  { name: "Time Zone", type: "string", jsonPath: ".spec.timeZone", priority: 1 },
  { name: "Suspend", type: "boolean", jsonPath: ".spec.suspend" },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: "Last Outcome", type: "string", jsonPath: ".status.recentRuns[0].outcome" },
  { name: "Last Run", type: "date", jsonPath: ".status.lastScheduleTime" },
  { name: "Next Run", type: "string", jsonPath: ".status.nextRun" },
  { name: "Failed", type: "integer", jsonPath: ".status.counts.failed", priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

/** Job names add a dash and ten digits to the name. */
const MAX_NAME_LENGTH = MAX_JOB_NAME_LENGTH - 11;

/** Returns the definition that makes an API server serve a flavour, as `deploy/crd` has it. */
export function definitionOf(flavour: Flavour): Unstored<CustomResourceDefinition> {
  const { resource: { group, version, plural, kind }, shortName, pendingTimeoutSeconds, failedJobs } = flavour;
  const specFields: Record<string, Schema> = { ...nativeSpec(flavour), ...EXTRA_SPEC_FIELDS };
  for (const [name, value] of Object.entries({ pendingTimeoutSeconds, failedJobs })) {
    if (value !== undefined) specFields[name] = { ...specFields[name], default: value };
  }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        plural,
        singular: "cronjob",
        kind,
        listKind: "CronJobList",
        shortNames: [shortName],
        categories: ["all"],
      },
      versions: [{
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: COLUMNS,
        schema: {
          openAPIV3Schema: object("CronJob runs a Job on a schedule.", {
            apiVersion: { type: "string" },
            kind: { type: "string" },
            metadata: { type: "object", properties: { name: { type: "string", maxLength: MAX_NAME_LENGTH } } },
            spec: object("What to run, and when.", specFields, ["schedule", "jobTemplate"]),
            status: object("What became of it.", STATUS_FIELDS),
          }),
        },
      }],
    },
  };
}

/** Flavours that Kubernetes does not serve by itself. */
export const DEFINED_FLAVOURS: readonly Flavour[] = FLAVOURS.filter(({ shortName }) => shortName !== undefined);
