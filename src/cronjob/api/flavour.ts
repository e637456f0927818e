import type { Resource } from "../../kube/resource.ts";
import type { CronJobObject } from "./types.ts";

/** One flavour of the CronJob API: all that its controller has to know about it, as data. */
export interface Flavour {
  readonly apiVersion: string;
  readonly resource: Resource<CronJobObject>;
  /** For kubectl, in the definition that makes an API server serve it; undefined where Kubernetes serves it by itself. */
  readonly shortName: string | undefined;
  /** Of its controller, in metrics and health checks. */
  readonly controllerName: "cronjob" | "production-cronjob" | "batch-cronjob";
  /** The unit of the number at the end of a Job's name: one Job a CronJob and unit. */
  readonly nameUnitSeconds: number;
  /** Annotation of the Job that holds its scheduled time. */
  readonly scheduledTimeAnnotation: string;
  /** Whether that annotation is written in the CronJob's zone, or in UTC. */
  readonly scheduledTimeInZone: boolean;
  /** Finished Jobs to keep where the spec sets no limit; undefined keeps all. */
  readonly historyLimits: { readonly successful?: number; readonly failed?: number };
  /** Which failed Jobs stay where the spec does not say; undefined: `Keep`. */
  readonly failedJobs: "KeepUntilSuccess" | undefined;
  /** How long a Job may wait for its Pods to start where the spec sets no limit; undefined: for ever. */
  readonly pendingTimeoutSeconds: number | undefined;
  /** With more than 100 missed runs and no deadline: start nothing until the spec changes, or only warn. */
  readonly onTooManyMissed: "Stop" | "Warn";
  /** Where the settings that Kubernetes doesn't know stand. */
  readonly extrasIn: "spec" | "annotations";
  /** Whether the status has room for more than Kubernetes' three fields. */
  readonly openStatus: boolean;
  /** The unfinished children that `status.active` lists: all, or those that a schedule or `kubectl create job --from` made. */
  readonly lists: "all" | "expected";
  /** Whether another controller may run them too: all of them, but for those that are adopted. */
  readonly adoptable: boolean;
}

function cronJobsOf(group: string): Pick<Flavour, "apiVersion" | "resource"> {
  const resource = { group, version: "v1", plural: "cronjobs", kind: "CronJob", namespaced: true };
  return { apiVersion: `${group}/v1`, resource };
}

/** The Kubebuilder tutorial's CRD. */
export const TUTORIAL: Flavour = {
  ...cronJobsOf("batch.tutorial.kubebuilder.io"),
  shortName: "tcj",
  // As the tutorial's manager has it, after the kind.
  controllerName: "cronjob",
  nameUnitSeconds: 1,
  scheduledTimeAnnotation: "batch.tutorial.kubebuilder.io/scheduled-at",
  scheduledTimeInZone: false,
  historyLimits: {},
  failedJobs: undefined,
  pendingTimeoutSeconds: undefined,
  onTooManyMissed: "Stop",
  extrasIn: "spec",
  openStatus: true,
  lists: "all",
  adoptable: false,
};

/** The tutorial's fields under a name of our own, with the defaults that Kubernetes has. */
export const PRODUCTION: Flavour = {
  ...cronJobsOf("cronjob-controller.dev"),
  shortName: "ccj",
  controllerName: "production-cronjob",
  nameUnitSeconds: 1,
  scheduledTimeAnnotation: "cronjob-controller.dev/scheduled-at",
  scheduledTimeInZone: false,
  historyLimits: { successful: 3, failed: 1 },
  failedJobs: "KeepUntilSuccess",
  pendingTimeoutSeconds: 3600,
  onTooManyMissed: "Warn",
  extrasIn: "spec",
  openStatus: true,
  lists: "all",
  adoptable: false,
};

/** Kubernetes' own. */
export const BATCH: Flavour = {
  ...cronJobsOf("batch"),
  shortName: undefined,
  controllerName: "batch-cronjob",
  nameUnitSeconds: 60,
  scheduledTimeAnnotation: "batch.kubernetes.io/cronjob-scheduled-timestamp",
  scheduledTimeInZone: true,
  historyLimits: { successful: 3, failed: 1 },
  failedJobs: undefined,
  pendingTimeoutSeconds: undefined,
  onTooManyMissed: "Warn",
  extrasIn: "annotations",
  openStatus: false,
  lists: "expected",
  adoptable: true,
};

/** All of them, in the order in which people read of them. */
export const FLAVOURS: readonly Flavour[] = [PRODUCTION, BATCH, TUTORIAL];
