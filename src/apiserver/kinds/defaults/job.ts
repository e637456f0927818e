import type { Json } from "../../resource_kind.ts";
import { BATCH_TYPES } from "../../schema/types/batch.ts";
import { applyTypeDefaults } from "../../schema/type_defaults.ts";
import { setPodSpecDefaults } from "./pod_spec.ts";

const POD_FAILURE_POLICY = BATCH_TYPES.struct("PodFailurePolicy");
const MOST_RETRIES = 2 ** 31 - 1;

/** Fills in what a Job leaves out, as kube-apiserver does. */
export function setJobDefaults(job: Json): void {
  const { spec } = job;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : MOST_RETRIES;
  spec.manualSelector ??= false;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  setJobTemplateDefaults(spec);
  copyLabelsFromTemplate(job);
}

/** The defaults of a Job's spec that a CronJob sets already; the rest waits for the Job. */
export function setJobTemplateDefaults(spec: Json): void {
  setPodSpecDefaults(spec.template.spec);
  applyTypeDefaults(spec.podFailurePolicy ?? {}, POD_FAILURE_POLICY);
}

/** A Job without labels has its Pods'. */
export function copyLabelsFromTemplate(job: Json): void {
  const { labels } = job.spec.template.metadata;
  if (Object.keys(job.metadata.labels ?? {}).length === 0 && labels) job.metadata.labels = { ...labels };
}

/** In the order in which Kubernetes finds them wrong. */
const GENERATED_LABELS: Record<string, (job: Json) => string> = {
  "controller-uid": (job) => job.metadata.uid,
  "job-name": (job) => job.metadata.name,
  "batch.kubernetes.io/controller-uid": (job) => job.metadata.uid,
  "batch.kubernetes.io/job-name": (job) => job.metadata.name,
};

/** Makes the Job's Pods its own, and only its own: by its UID, unless the selector is the user's (`manualSelector`). */
export function generateSelector(job: Json): void {
  const { spec } = job;
  if (spec.manualSelector === true) return;
  const { metadata } = spec.template;
  // A label that the user has set stays; validation refuses it if it isn't what we would have set.
  metadata.labels = sorted({ ...expectedLabels(job), ...metadata.labels });
  const key = "batch.kubernetes.io/controller-uid", { matchLabels, ...others } = spec.selector ?? {};
  spec.selector = { matchLabels: sorted({ [key]: job.metadata.uid, ...matchLabels }), ...others };
}

function sorted(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => a < b ? -1 : 1));
}

/** Says what a generated label must be, for every label that is generated. */
export function expectedLabels(job: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(GENERATED_LABELS).map(([key, value]) => [key, value(job)]));
}
