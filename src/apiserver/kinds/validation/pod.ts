import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { copyField } from "../define.ts";
import { each, named, rules } from "./check.ts";
import { ONLY_OF_PODS } from "./container.ts";
import { eachInvalid, type Findings, forbidden, found, invalidValue } from "./field_errors.ts";
import { qualifiedNameErrors, subdomainErrors } from "./names.ts";
import { validatePodSpec } from "./pod_spec.ts";

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
  const other = CONTAINER_LISTS.find((list) => (spec[list] ?? []).length !== (oldSpec[list] ?? []).length);
  if (other) {
    return found(validateSpec(pod), forbidden(`spec.${other}`, "pod updates may not add or remove containers"));
  }
  return found(
    validateSpec(pod),
    deadlineChange(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds),
    gatesChange(spec.schedulingGates ?? [], oldSpec.schedulingGates ?? []),
    !isDeepStrictEqual(withoutMutable(spec, oldSpec), oldSpec) && forbidden("spec", ONLY_THESE_MAY_CHANGE),
  );
}

const NODE_NAME = rules("core ValidatePodSpec", ["nodeName", named(subdomainErrors)]);

/** Returns the errors of a write to the subresource `status`, by which the kubelet takes a Pod too. */
export function validatePodStatus({ status, spec }: Json): FieldError[] {
  return found(
    // Patches find a condition by its type.
    (status?.conditions ?? []).map(({ type = "" }: Json, index: number) =>
      eachInvalid(`status.conditions[${index}].Type`, type, qualifiedNameErrors(type))
    ),
    NODE_NAME(spec, "spec"),
  );
}

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

/** A deadline may only come nearer. */
function deadlineChange(next: number | undefined, old: number | undefined): Findings {
  if (old === undefined || (next !== undefined && next <= old)) return [];
  const why = next === undefined
    ? "must not update from a positive integer to nil value"
    : "must be less than or equal to previous value";
  return invalidValue("spec.activeDeadlineSeconds", next, why);
}

/** Gates may only be opened. */
function gatesChange(next: Json[], old: Json[]): Findings {
  const known = new Set(old.map(({ name }) => name));
  return next.map(({ name }, index) => {
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return !known.has(name) && forbidden(`spec.schedulingGates[${index}].name`, why);
  });
}
