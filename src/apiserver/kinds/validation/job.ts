import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { expectedLabels } from "../defaults/job.ts";
import { type Check, must, NOT_NEGATIVE, oneOf, rules } from "./check.ts";
import { immutable, invalidValue, notSupported, required, tooLong } from "./field_errors.ts";
import { labelErrors, subdomainErrors } from "./names.ts";
import { DOMAIN_PREFIXED_PATH, validateObjectMeta, validateObjectMetaUpdate } from "./object_meta.ts";
import { validatePodFailurePolicy, validateSuccessPolicy } from "./job_policies.ts";
import { validatePodTemplate } from "./pod_spec.ts";
import { matchesLabelSelector, validateLabelSelector } from "./label_selector.ts";

const MAX_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
/** Beyond as many completions, a limit for each index takes less of the others. */
const MANY_COMPLETIONS = 100_000;
const LIMIT_OF_MANY = 10_000;
const MAX_MANAGER_BYTES = 63;
const UID_LABEL = "batch.kubernetes.io/controller-uid";
const NAMED = { namespaced: true, custom: false, validateName: subdomainErrors };

export function validateJob(job: Json): FieldError[] {
  return [
    ...validateGeneratedSelector(job),
    ...validateJobSpec(job.spec, "spec"),
    ...validatePodNames(job),
  ];
}

/** A changed Job is looked at as a new one, and as a changed one. */
export function validateJobUpdate(job: Json, old: Json): FieldError[] {
  const { spec } = job;
  const mayNotChange = (field: string) => immutable(`spec.${field}`, spec[field], old.spec[field], isDeepStrictEqual);
  return [
    ...validateObjectMeta(job.metadata, NAMED),
    ...validateJob(job),
    ...validateObjectMetaUpdate(job, old),
    ...validateJobSpec(spec, "spec"),
    ...validateCompletionsChange(spec, old.spec),
    ...mayNotChange("selector"),
    ...validateTemplateChange(job, old),
    ...["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"].flatMap(
      mayNotChange,
    ),
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

const isIndexed = ({ completionMode }: Json) => completionMode === "Indexed";
const ofIndexed = (check: Check<Json>): Check<Json> => (value, at, spec) =>
  isIndexed(spec) ? check(value, at, spec) : [];
const ofMany = (check: Check<Json>): Check<Json> =>
  ofIndexed((value, at, spec) =>
    spec.completions > MANY_COMPLETIONS && spec.backoffLimitPerIndex !== undefined ? check(value, at, spec) : []
  );
const ONLY_OF_INDEXED: Check<Json> = must(
  "requires indexed completion mode",
  (_: never, spec: Json) => isIndexed(spec),
);
const atMostOf = (most: number, when: string): Check<Json> =>
  must(`must be less than or equal to ${most}${when}`, (value: number) => value <= most);
const WHEN_MANY = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;

const JOB_SPEC = rules<Json>(
  "batch validateJobSpec",
  ["parallelism", NOT_NEGATIVE],
  ["completions", NOT_NEGATIVE],
  ["activeDeadlineSeconds", NOT_NEGATIVE],
  ["backoffLimit", NOT_NEGATIVE],
  ["ttlSecondsAfterFinished", NOT_NEGATIVE],
  ["backoffLimitPerIndex", NOT_NEGATIVE],
  ["maxFailedIndexes", NOT_NEGATIVE],
  [
    "",
    ({ maxFailedIndexes, backoffLimitPerIndex }: Json, at) =>
      maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined
        ? [required(`${at}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
        : [],
  ],
  [
    "managedBy",
    DOMAIN_PREFIXED_PATH,
    (name: string, at) => name.length > MAX_MANAGER_BYTES ? [tooLong(at, MAX_MANAGER_BYTES)] : [],
  ],
  ["completionMode", oneOf("NonIndexed", "Indexed")],
  [
    "",
    ofIndexed(({ completions }: Json, at) =>
      completions === undefined ? [required(`${at}.completions`, "when completion mode is Indexed")] : []
    ),
  ],
  ["parallelism", ofIndexed(atMostOf(MAX_PARALLELISM, " when completion mode is Indexed"))],
  [
    "maxFailedIndexes",
    ofIndexed(
      must(
        "must be less than or equal to completions",
        (value: number, spec: Json) => spec.completions === undefined || value <= spec.completions,
      ),
    ),
  ],
  ["maxFailedIndexes", ofIndexed(atMostOf(MAX_FAILED_INDEXES, ""))],
  [
    "",
    ofMany(({ maxFailedIndexes }: Json, at) =>
      maxFailedIndexes === undefined
        ? [required(`${at}.maxFailedIndexes`, `must be specified when completions is above ${MANY_COMPLETIONS}`)]
        : []
    ),
  ],
  ["parallelism", ofMany(atMostOf(LIMIT_OF_MANY, WHEN_MANY))],
  ["maxFailedIndexes", ofMany(atMostOf(LIMIT_OF_MANY, WHEN_MANY))],
  ["backoffLimitPerIndex", ONLY_OF_INDEXED],
  ["maxFailedIndexes", ONLY_OF_INDEXED],
  ["podFailurePolicy", validatePodFailurePolicy],
  ["successPolicy", validateSuccessPolicy],
  // With a podFailurePolicy, a Pod that is only terminating has no verdict yet.
  [
    "podReplacementPolicy",
    (policy, at, spec) =>
      (spec.podFailurePolicy ? oneOf("Failed") : oneOf("Failed", "TerminatingOrFailed"))(policy, at, undefined),
  ],
  ["template", validatePodTemplate],
  ["", restartPolicy],
);

function validateJobSpecWithoutSelector(spec: Json, path: string): FieldError[] {
  return JOB_SPEC(spec, path, spec);
}

function restartPolicy({ template, podFailurePolicy }: Json, path: string): FieldError[] {
  const at = `${path}.template.spec.restartPolicy`, { restartPolicy: policy = "Always" } = template.spec;
  if (policy === "Always") return [required(at, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") return [notSupported(at, policy, ["OnFailure", "Never"])];
  return podFailurePolicy && policy !== "Never"
    ? [invalidValue(at, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
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
  return spec.completions === undefined || spec.completions === spec.parallelism ? [] : [
    invalidValue("spec.completions", spec.completions, "can only be modified in tandem with spec.parallelism"),
  ];
}

/** Where Pods run, and with what, may change while none of them runs. */
function validateTemplateChange({ spec: { template } }: Json, { spec, status = {} }: Json): FieldError[] {
  const isAtRest = spec.suspend === true && (!status.startTime || !status.active);
  if (!isAtRest) return immutable("spec.template", template, spec.template, isDeepStrictEqual);
  const allowed = structuredClone(spec.template.spec), wanted = template.spec;
  for (const field of ["nodeSelector", "tolerations", "schedulingGates"]) take(allowed, wanted, field);
  takeNodeAffinity(allowed, wanted);
  for (const list of ["containers", "initContainers"]) {
    if (allowed[list]?.length !== wanted[list]?.length) continue;
    for (const [index, container] of (allowed[list] ?? []).entries()) {
      if (container.name === wanted[list][index].name) take(container, wanted[list][index], "resources");
    }
  }
  return immutable("spec.template.spec", wanted, allowed, isDeepStrictEqual);
}

/** Of all affinities only that to nodes. */
function takeNodeAffinity(to: Json, from: Json): void {
  const affinity = { ...to.affinity };
  take(affinity, from.affinity ?? {}, "nodeAffinity");
  if (Object.keys(affinity).length > 0 || from.affinity) to.affinity = affinity;
  else delete to.affinity;
}

function take(to: Json, from: Json, field: string): void {
  if (from[field] === undefined) delete to[field];
  else to[field] = from[field];
}
