import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { CORE_TYPES } from "../../schema/types/core.ts";
import { sortedKeys } from "../../sorted_keys.ts";
import { copyField } from "../define.ts";
import { flattened } from "../nested.ts";
import { each, REQUIRED, rules } from "./check.ts";
import { ONLY_OF_PODS } from "./container.ts";
import { type Findings, forbidden, found, invalidValue } from "./field_errors.ts";
import { gatedChange, withoutGated } from "./gated_pod.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object_meta.ts";
import { validatePodSpec } from "./pod_spec.ts";
import { validatePodAnnotations, validatePodAnnotationUpdates, validateProfileAnnotations } from "./pod_annotations.ts";
import { TOLERATIONS } from "./scheduling.ts";
import { structDiff } from "./spec_diff.ts";

const ONLY_THESE_MAY_CHANGE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const MAX_INT32 = 2 ** 31 - 1;

/** Returns what is wrong with a new Pod. */
export function validatePod(pod: Json): FieldError[] {
  const { spec } = pod;
  return found(
    validateSpec(pod),
    spec.ephemeralContainers?.length && forbidden("spec.ephemeralContainers", "cannot be set on create"),
    spec.nodeName && spec.schedulingGates?.length &&
      forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"),
    validateProfileAnnotations(pod),
  );
}

/** Core `validatePodMetadataAndSpec`, without the metadata. */
function validateSpec({ metadata, spec }: Json): Findings {
  return [
    validatePodAnnotations({ metadata, spec }, "metadata.annotations"),
    validatePodSpec(spec, "spec", metadata.name ?? ""),
    !spec.serviceAccountName && tokensOfNobody(spec.volumes ?? []),
    each(ONLY_OF_PODS)(spec.containers ?? [], "spec.containers"),
    each(ONLY_OF_PODS)(spec.initContainers ?? [], "spec.initContainers"),
  ];
}

function tokensOfNobody(volumes: Json[]): Findings {
  return volumes.map(({ projected }, index) =>
    (projected?.sources ?? []).map(({ serviceAccountToken }: Json, source: number) => {
      const at = `spec.volumes[${index}].projected.sources[${source}].serviceAccountToken`;
      return serviceAccountToken && forbidden(at, "must not be specified when serviceAccountName is not set");
    })
  );
}

/** Core `ValidatePodUpdate`. */
export function validatePodUpdate(pod: Json, old: Json): FieldError[] {
  const { spec } = pod, { spec: oldSpec } = old;
  const errors = found(
    validateObjectMetaUpdate(pod, old),
    validateObjectMeta(pod.metadata),
    validateSpec(pod),
    validatePodAnnotationUpdates(pod, old),
  );
  for (const list of ["containers", "initContainers"]) {
    const containers: Json[] = spec[list] ?? [];
    if (containers.length !== (oldSpec[list] ?? []).length) {
      return [...errors, forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
    }
    flattened(each(CHANGED_IMAGE)(containers, `spec.${list}`), errors);
  }
  const deadline = deadlineChange(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds);
  if (deadline && spec.activeDeadlineSeconds !== undefined) return [...errors, deadline];
  const isGated = (oldSpec.schedulingGates ?? []).length > 0;
  const mutable = withoutMutable(spec, oldSpec);
  const fixed = isGated ? withoutGated(mutable, oldSpec) : mutable;
  const difference = () => structDiff(oldSpec, fixed, CORE_TYPES.struct("PodSpec"));
  return found(
    errors,
    deadline,
    tolerationChange(spec.tolerations ?? [], oldSpec.tolerations ?? []),
    gatesChange(spec.schedulingGates ?? [], oldSpec.schedulingGates ?? []),
    isGated && gatedChange(spec, oldSpec),
    !isDeepStrictEqual(fixed, oldSpec) && forbidden("spec", `${ONLY_THESE_MAY_CHANGE}\n${difference()}`),
  );
}

const CHANGED_IMAGE = rules("core ValidateContainerUpdates", ["image", REQUIRED], ONLY_OF_PODS);

/** Returns the new spec with the old value of everything that may change. */
function withoutMutable(spec: Json, old: Json): Json {
  const result = structuredClone(spec);
  for (const list of ["containers", "initContainers"]) {
    for (const [index, container] of (result[list] ?? []).entries()) container.image = old[list][index].image;
  }
  for (const field of ["activeDeadlineSeconds", "tolerations", "schedulingGates"]) copyField(field, old, result);
  if (old.terminationGracePeriodSeconds < 0 && result.terminationGracePeriodSeconds === 1) {
    result.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
  // A scheduler's binding may be written as an update.
  if (old.nodeName === undefined) delete result.nodeName;
  return result;
}

function deadlineChange(next: number | undefined, old: number | undefined): FieldError | undefined {
  const problem = next === undefined
    ? old === undefined ? undefined : "must not update from a positive integer to nil value"
    : next < 0 || next > MAX_INT32
    ? `must be between 0 and ${MAX_INT32}, inclusive`
    : old !== undefined && next > old
    ? "must be less than or equal to previous value"
    : undefined;
  return problem === undefined ? undefined : invalidValue("spec.activeDeadlineSeconds", next, problem);
}

function tolerationChange(next: Json[], old: Json[]): Findings {
  const text = (toleration: Json) => JSON.stringify(sortedKeys(bare(toleration)));
  const wanted = new Set(next.map(text)), kept = old.every((toleration) => wanted.has(text(toleration)));
  return kept
    ? TOLERATIONS(next, "spec.tolerations")
    : forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
}

/** Gates may only be opened. */
function gatesChange(next: Json[], old: Json[]): Findings {
  const known = new Set(old.map(({ name }) => name));
  return next.map(({ name }, index) => {
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return !known.has(name) && forbidden(`spec.schedulingGates[${index}].name`, why);
  });
}

function bare({ tolerationSeconds: _seconds, ...rest }: Json): Json {
  return rest;
}
