import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { expectedLabels } from "../defaults/job.ts";
import { immutable, invalidValue, notNegative, notSupported, oneOf, required, tooLong } from "./field_errors.ts";
import { labelErrors } from "./names.ts";
import { domainPrefixedPathErrors } from "./object_meta.ts";
import { validatePodFailurePolicy, validateSuccessPolicy } from "./job_policies.ts";
import { validatePodTemplate } from "./pod_spec.ts";
import { matchesLabelSelector, validateLabelSelector } from "./label_selector.ts";

const MAX_PARALLELISM = 100_000;
const UID_LABEL = "batch.kubernetes.io/controller-uid";

export function validateJob(job: Json): FieldError[] {
  return [
    ...validateGeneratedSelector(job),
    ...validateJobSpec(job.spec, "spec"),
    ...validatePodNames(job),
  ];
}

export function validateJobUpdate(job: Json, old: Json): FieldError[] {
  const { spec } = job;
  const mayNotChange = (field: string) => immutable(`spec.${field}`, spec[field], old.spec[field], isDeepStrictEqual);
  return [
    ...validateJob(job),
    ...validateJobSpec(spec, "spec"),
    ...validateCompletionsChange(spec, old.spec),
    ...mayNotChange("selector"),
    ...immutable("spec.template", spec.template, templateAllowedFor(job, old), isDeepStrictEqual),
    ...mayNotChange("completionMode"),
    ...mayNotChange("podFailurePolicy"),
    ...mayNotChange("backoffLimitPerIndex"),
    ...mayNotChange("managedBy"),
    ...mayNotChange("successPolicy"),
  ];
}

/** The spec of the Jobs of a CronJob: selectors are made for each Job. */
export function validateJobTemplate(template: Json, path: string): FieldError[] {
  const { spec } = template;
  return [
    ...validateJobSpecWithoutSelector(spec, `${path}.spec`),
    ...(spec.selector
      ? [invalidValue(`${path}.spec.selector`, spec.selector, "`selector` will be auto-generated")]
      : []),
    ...(spec.manualSelector === true ? [notSupported(`${path}.spec.manualSelector`, true, ["nil", "false"])] : []),
  ];
}

function validateJobSpec(spec: Json, path: string): FieldError[] {
  return [
    ...validateJobSpecWithoutSelector(spec, path),
    ...(spec.selector ? validateLabelSelector(spec.selector, `${path}.selector`) : [required(`${path}.selector`)]),
    ...(spec.selector && matchesLabelSelector(spec.selector, spec.template.metadata.labels ?? {}) ? [] : [
      invalidValue(
        `${path}.template.metadata.labels`,
        spec.template.metadata.labels,
        "`selector` does not match template `labels`",
      ),
    ]),
  ];
}

function validateJobSpecWithoutSelector(spec: Json, path: string): FieldError[] {
  const { restartPolicy } = spec.template.spec;
  return [
    ...notNegative(`${path}.parallelism`, spec.parallelism),
    ...notNegative(`${path}.completions`, spec.completions),
    ...notNegative(`${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds),
    ...notNegative(`${path}.backoffLimit`, spec.backoffLimit),
    ...notNegative(`${path}.ttlSecondsAfterFinished`, spec.ttlSecondsAfterFinished),
    ...notNegative(`${path}.backoffLimitPerIndex`, spec.backoffLimitPerIndex),
    ...notNegative(`${path}.maxFailedIndexes`, spec.maxFailedIndexes),
    ...validateManagedBy(spec.managedBy, `${path}.managedBy`),
    ...validateCompletionMode(spec, path),
    ...(spec.podFailurePolicy ? validatePodFailurePolicy(spec, `${path}.podFailurePolicy`) : []),
    ...validateSuccessPolicy(spec, path),
    ...validatePodReplacementPolicy(spec, `${path}.podReplacementPolicy`),
    ...validatePodTemplate(spec.template, `${path}.template`),
    ...(restartPolicy === "OnFailure" || restartPolicy === "Never" ? [] : [
      required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'),
    ]),
    ...(spec.podFailurePolicy && restartPolicy !== "Never"
      ? [invalidValue(
        `${path}.template.spec.restartPolicy`,
        restartPolicy,
        'only "Never" is supported when podFailurePolicy is specified',
      )]
      : []),
  ];
}

function validateManagedBy(managedBy: string | undefined, path: string): FieldError[] {
  if (managedBy === undefined) return [];
  return [
    ...domainPrefixedPathErrors(managedBy, path),
    ...(managedBy.length > 63 ? [tooLong(path, 63)] : []),
  ];
}

function validateCompletionMode(spec: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { completionMode = "NonIndexed", completions, parallelism, backoffLimitPerIndex, maxFailedIndexes } = spec;
  errors.push(...oneOf(`${path}.completionMode`, completionMode, ["NonIndexed", "Indexed"]));
  if (completionMode === "Indexed") {
    if (completions === undefined) errors.push(required(`${path}.completions`, "when completion mode is Indexed"));
    if (parallelism !== undefined && parallelism > MAX_PARALLELISM) {
      errors.push(invalidValue(
        `${path}.parallelism`,
        parallelism,
        `must be less than or equal to ${MAX_PARALLELISM} when completion mode is Indexed`,
      ));
    }
    if (maxFailedIndexes !== undefined) {
      if (completions !== undefined && maxFailedIndexes > completions) {
        errors.push(
          invalidValue(`${path}.maxFailedIndexes`, maxFailedIndexes, "must be less than or equal to completions"),
        );
      }
      if (backoffLimitPerIndex === undefined) {
        errors.push(required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
      }
    }
    return errors;
  }
  for (const [field, value] of Object.entries({ backoffLimitPerIndex, maxFailedIndexes })) {
    if (value !== undefined) errors.push(invalidValue(`${path}.${field}`, value, "requires indexed completion mode"));
  }
  return errors;
}

function validatePodReplacementPolicy(spec: Json, path: string): FieldError[] {
  if (spec.podReplacementPolicy === undefined) return [];
  // With a podFailurePolicy, a Pod that is only terminating has no verdict yet.
  const supported = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return oneOf(path, spec.podReplacementPolicy, supported);
}

function validateGeneratedSelector(job: Json): FieldError[] {
  const { spec, metadata } = job;
  if (spec.manualSelector === true || !spec.selector) return [];
  const errors: FieldError[] = [];
  if (!metadata.uid) errors.push(required("metadata.uid"));
  const labels = spec.template.metadata.labels ?? {};
  for (const [key, expected] of Object.entries(expectedLabels(job)).sort()) {
    if (labels[key] !== undefined && labels[key] !== expected) {
      errors.push(invalidValue(`spec.template.metadata.labels[${key}]`, labels, `must be '${expected}'`));
    }
  }
  const matched = spec.selector.matchLabels ?? {};
  const generated = [UID_LABEL, "controller-uid"].some((key) =>
    Object.keys(matched).length === 1 && matched[key] === metadata.uid
  );
  if (!generated || spec.selector.matchExpressions) {
    errors.push(invalidValue("spec.selector", spec.selector, "`selector` not auto-generated"));
  }
  return errors;
}

/** An indexed Job's Pods have hostnames that end in their index. */
function validatePodNames({ metadata, spec }: Json): FieldError[] {
  if (spec.completionMode !== "Indexed" || !(spec.completions > 0)) return [];
  const longest = `${metadata.name}-${spec.completions - 1}`;
  const messages = labelErrors(longest);
  return messages.length === 0 ? [] : [
    invalidValue("metadata.name", metadata.name, `will not able to create pod with invalid DNS label: ${longest}`),
  ];
}

function validateCompletionsChange(spec: Json, old: Json): FieldError[] {
  if (spec.completionMode !== "Indexed") {
    return immutable("spec.completions", spec.completions, old.completions, isDeepStrictEqual);
  }
  if (spec.completions === old.completions) return [];
  const inTandem = spec.completions !== undefined && old.completions !== undefined &&
    spec.completions === spec.parallelism && old.completions === old.parallelism;
  return inTandem ? [] : [
    invalidValue("spec.completions", spec.completions, "can only be modified in tandem with spec.parallelism"),
  ];
}

/** The template that an update must have: where a Job is suspended and never ran, scheduling directives may change. */
function templateAllowedFor(job: Json, old: Json): Json {
  if (old.spec.suspend !== true || old.status?.startTime) return old.spec.template;
  const template = structuredClone(old.spec.template), wanted = job.spec.template;
  for (const field of ["affinity", "nodeSelector", "tolerations", "schedulingGates"]) {
    take(template.spec, wanted.spec, field);
  }
  for (const field of ["labels", "annotations"]) take(template.metadata, wanted.metadata, field);
  return template;
}

function take(to: Json, from: Json, field: string): void {
  if (from[field] === undefined) delete to[field];
  else to[field] = from[field];
}
