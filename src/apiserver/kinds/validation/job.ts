import { trueCondition } from "../conditions.ts";
import type { FieldError, Json } from "../../resource_kind.ts";
import { expectedLabels } from "../defaults/job.ts";
import { copyField } from "../define.ts";
import { atMostBytes, type Check, immutable, must, NOT_NEGATIVE, oneOf, rules } from "./check.ts";
import { type Findings, found, invalidValue, notSupported, required } from "./field_errors.ts";
import { labelErrors } from "./names.ts";
import { DOMAIN_PREFIXED_PATH } from "./object_meta.ts";
import { validatePodFailurePolicy, validateSuccessPolicy } from "./job_policies.ts";
import { validatePodTemplate } from "./pod_spec.ts";
import { validateLabelSelector } from "./label_selector.ts";
import { matchesLabelSelector } from "../../../kube/label_selector.ts";

const MAX_INDEXES = 100_000;
const MAX_MANAGER_BYTES = 63;

/** Returns what is wrong with a Job that is created. */
export function validateJob(job: Json): FieldError[] {
  return found(validateGeneratedSelector(job), validateJobSpec(job.spec, "spec"), validatePodNames(job));
}

const FIXED = ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"];

/** Returns what is wrong with a Job that is changed: as a new one, and as a changed one. */
export function validateJobUpdate(job: Json, old: Json): FieldError[] {
  const { spec } = job;
  return found(
    validateJob(job),
    validateCompletionsChange(spec, old.spec),
    immutable("spec.selector", spec.selector, old.spec.selector),
    validateTemplateChange(job, old),
    FIXED.map((field) => immutable(`spec.${field}`, spec[field], old.spec[field])),
  );
}

/** Checks the spec of the Jobs of a CronJob: selectors are made for each Job. */
export function validateJobTemplate({ spec }: Json, path: string): Findings {
  return [
    JOB_SPEC(spec, `${path}.spec`, spec),
    spec.selector && invalidValue(`${path}.spec.selector`, spec.selector, "`selector` will be auto-generated"),
    spec.manualSelector === true && notSupported(`${path}.spec.manualSelector`, true, ["nil", "false"]),
  ];
}

function validateJobSpec(spec: Json, path: string): Findings {
  const { labels } = spec.template.metadata;
  return [
    JOB_SPEC(spec, path, spec),
    spec.selector ? validateLabelSelector(spec.selector, `${path}.selector`) : required(`${path}.selector`),
    !selects(spec.selector, labels ?? {}) &&
    invalidValue(`${path}.template.metadata.labels`, labels, "`selector` does not match template `labels`"),
  ];
}

const ofIndexed = (check: Check): Check => (value, at, spec) =>
  spec.completionMode === "Indexed" && check(value, at, spec);
const ONLY_OF_INDEXED: Check = must(
  "requires indexed completion mode",
  (_, { completionMode = "NonIndexed" }: Json) => completionMode !== "NonIndexed",
);
const LIMITED: Check = must(
  `must be less than or equal to ${MAX_INDEXES} when completion mode is Indexed`,
  (value: number) => value <= MAX_INDEXES,
);
/** Returns the check that a field is there. */
const needs = (field: string, why: string): Check => (spec, at) =>
  spec[field] === undefined && required(`${at}.${field}`, why);

const JOB_SPEC = rules(
  "batch validateJobSpec",
  [["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"], NOT_NEGATIVE],
  [["backoffLimitPerIndex", "maxFailedIndexes"], NOT_NEGATIVE],
  (spec, at) =>
    spec.maxFailedIndexes !== undefined &&
    needs("backoffLimitPerIndex", "when maxFailedIndexes is specified")(spec, at),
  ["managedBy", DOMAIN_PREFIXED_PATH, atMostBytes(MAX_MANAGER_BYTES)],
  ["completionMode", oneOf("NonIndexed", "Indexed")],
  ofIndexed(needs("completions", "when completion mode is Indexed")),
  [["parallelism", "maxFailedIndexes"], ofIndexed(LIMITED)],
  [
    "maxFailedIndexes",
    ofIndexed(must(
      "must be less than or equal to completions",
      (most: number, { completions }: Json) => completions === undefined || most <= completions,
    )),
  ],
  [["backoffLimitPerIndex", "maxFailedIndexes"], ONLY_OF_INDEXED],
  ["podFailurePolicy", validatePodFailurePolicy],
  ["successPolicy", validateSuccessPolicy],
  // With a podFailurePolicy, a Pod that is only terminating has no verdict yet.
  [
    "podReplacementPolicy",
    (policy, at, { podFailurePolicy }: Json) =>
      oneOf("Failed", ...podFailurePolicy ? [] : ["TerminatingOrFailed"])(policy, at),
  ],
  ["template", validatePodTemplate],
  restartPolicy,
);

function restartPolicy({ template, podFailurePolicy }: Json, path: string): Findings {
  const at = `${path}.template.spec.restartPolicy`, { restartPolicy: policy = "Always" } = template.spec;
  if (policy === "Always") return required(at, 'must be "OnFailure" or "Never"');
  if (policy !== "OnFailure" && policy !== "Never") return notSupported(at, policy, ["OnFailure", "Never"]);
  return podFailurePolicy && policy !== "Never" &&
    invalidValue(at, policy, 'only "Never" is supported when podFailurePolicy is specified');
}

function validateGeneratedSelector(job: Json): Findings {
  const { spec, metadata } = job;
  if (spec.manualSelector === true || !spec.selector) return [];
  const { labels = {} } = spec.template.metadata, expected = expectedLabels(job);
  return [
    !metadata.uid && required("metadata.uid"),
    Object.entries(expected).map(([key, value]) => {
      const at = `spec.template.metadata.labels[${key}]`, why = `must be '${value}'`;
      if (labels[key] === undefined) return required(at, why);
      return labels[key] !== value && invalidValue(at, labels, why);
    }),
    !selects(spec.selector, expected) &&
    invalidValue("spec.selector", spec.selector, "`selector` not auto-generated"),
  ];
}

/** A selector that is none says nothing about labels: it is refused by itself. */
function selects(selector: Json | undefined, labels: Record<string, string>): boolean {
  if (!selector) return false;
  return validateLabelSelector(selector, "").length > 0 || matchesLabelSelector(selector, labels);
}

/** An indexed Job's Pods have hostnames that end in their index. */
function validatePodNames({ metadata, spec }: Json): Findings {
  const longest = `${metadata.name}-${spec.completions - 1}`;
  return spec.completionMode === "Indexed" && spec.completions > 0 && labelErrors(longest).length > 0 &&
    invalidValue("metadata.name", metadata.name, `will not able to create pod with invalid DNS label: ${longest}`);
}

function validateCompletionsChange({ completions, completionMode, parallelism }: Json, old: Json): Findings {
  if (completionMode !== "Indexed") return immutable("spec.completions", completions, old.completions);
  return completions !== old.completions && completions !== undefined && completions !== parallelism &&
    invalidValue("spec.completions", completions, "can only be modified in tandem with spec.parallelism");
}

/** Batch `validatePodTemplateUpdate`: where Pods run, and with what, may change while none of them runs. */
function validateTemplateChange({ spec: { template } }: Json, old: Json): Findings {
  const { spec, status = {} } = old, isSuspended = trueCondition(old, "Suspended") !== undefined;
  const isAtRest = spec.suspend === true && !status.active && (!status.startTime || isSuspended);
  if (!isAtRest) return immutable("spec.template", template, spec.template);
  const allowed = structuredClone(spec.template.spec), wanted = template.spec;
  for (const field of ["nodeSelector", "affinity", "tolerations", "schedulingGates"]) copyField(field, wanted, allowed);
  for (const list of ["containers", "initContainers"]) {
    if (allowed[list]?.length !== wanted[list]?.length) continue;
    for (const [index, container] of (allowed[list] ?? []).entries()) {
      if (container.name === wanted[list][index].name) copyField("resources", wanted[list][index], container);
    }
  }
  return immutable("spec.template.spec", wanted, allowed);
}
