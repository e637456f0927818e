import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { copyField } from "../define.ts";
import { each, REQUIRED, rules } from "./check.ts";
import { ONLY_OF_PODS } from "./container.ts";
import { type Findings, forbidden, found, invalidValue } from "./field_errors.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object_meta.ts";
import { validatePodSpec } from "./pod_spec.ts";

const MAX_INT32 = 2 ** 31 - 1;
const ONLY_THESE_MAY_CHANGE = "only images, activeDeadlineSeconds, tolerations, terminationGracePeriodSeconds " +
  "from a negative value to 1, and fewer schedulingGates may change";
const CONTAINER_LISTS = ["containers", "initContainers"];

/** Returns the errors of a new Pod. */
export function validatePod(pod: Json): FieldError[] {
  const { spec } = pod;
  return found(
    validateSpec(pod),
    spec.ephemeralContainers?.length && forbidden("spec.ephemeralContainers", "cannot be set on create"),
    spec.nodeName && spec.schedulingGates?.length &&
      forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"),
  );
}

function validateSpec({ spec }: Json): Findings {
  return [
    validatePodSpec(spec, "spec"),
    CONTAINER_LISTS.map((list) => each(ONLY_OF_PODS)(spec[list] ?? [], `spec.${list}`)),
  ];
}

/** Core `ValidatePodUpdate`. */
export function validatePodUpdate(pod: Json, old: Json): FieldError[] {
  const { spec } = pod, { spec: oldSpec } = old;
  const errors = found(validateObjectMetaUpdate(pod, old), validateObjectMeta(pod.metadata), validateSpec(pod));
  for (const list of CONTAINER_LISTS) {
    if ((spec[list] ?? []).length !== (oldSpec[list] ?? []).length) {
      return [...errors, forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
    }
  }
  return found(
    errors,
    CONTAINER_LISTS.map((list) => each(CHANGED_IMAGE)(spec[list] ?? [], `spec.${list}`)),
    deadlineChange(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds),
    gatesChange(spec.schedulingGates ?? [], oldSpec.schedulingGates ?? []),
    !isDeepStrictEqual(withoutMutable(spec, oldSpec), oldSpec) && forbidden("spec", ONLY_THESE_MAY_CHANGE),
  );
}

const CHANGED_IMAGE = rules("core ValidateContainerUpdates", ["image", REQUIRED]);

/** Returns the new spec with the old value of everything that may change. */
function withoutMutable(spec: Json, old: Json): Json {
  const result = structuredClone(spec);
  for (const list of CONTAINER_LISTS) {
    for (const [index, container] of (result[list] ?? []).entries()) container.image = old[list][index].image;
  }
  for (const field of ["activeDeadlineSeconds", "tolerations", "schedulingGates"]) copyField(field, old, result);
  if (old.terminationGracePeriodSeconds < 0 && result.terminationGracePeriodSeconds === 1) {
    result.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
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

/** Gates may only be opened. */
function gatesChange(next: Json[], old: Json[]): Findings {
  const known = new Set(old.map(({ name }) => name));
  return next.map(({ name }, index) => {
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return !known.has(name) && forbidden(`spec.schedulingGates[${index}].name`, why);
  });
}
