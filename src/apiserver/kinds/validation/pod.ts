import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { KUBERNETES_TYPES } from "../../schema/kubernetes_types.ts";
import { forbidden, immutable, invalidValue } from "./field_errors.ts";
import { validateActiveDeadline, validatePodSpec } from "./pod_spec.ts";
import { structDiff } from "./spec_diff.ts";

const ONLY_THESE_MAY_CHANGE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

export function validatePod(pod: Json): FieldError[] {
  return validatePodSpec(pod.spec, "spec");
}

export function validatePodUpdate(pod: Json, old: Json): FieldError[] {
  const { spec } = pod, { spec: oldSpec } = old;
  const errors: FieldError[] = [...validatePod(pod)];
  for (const list of ["containers", "initContainers"]) {
    if ((spec[list] ?? []).length !== (oldSpec[list] ?? []).length) {
      return [...errors, forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
    }
  }
  errors.push(...validateDeadlineChange(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds));
  errors.push(...validateTolerationChange(spec.tolerations ?? [], oldSpec.tolerations ?? []));
  errors.push(...validateGatesChange(spec.schedulingGates ?? [], oldSpec.schedulingGates ?? []));
  const fixed = withoutMutable(spec, oldSpec);
  if (!isDeepStrictEqual(fixed, oldSpec)) {
    const difference = structDiff(oldSpec, fixed, KUBERNETES_TYPES.struct("core.PodSpec"));
    errors.push(forbidden("spec", `${ONLY_THESE_MAY_CHANGE}\n${difference}`));
  }
  return errors;
}

export function validatePodStatusUpdate(pod: Json, old: Json): FieldError[] {
  return [
    ...(old.spec.nodeName ? immutable("spec.nodeName", pod.spec.nodeName, old.spec.nodeName, isDeepStrictEqual) : []),
    ...["containerStatuses", "initContainerStatuses"].flatMap((list) => validateNoRevival(list, pod, old)),
  ];
}

/** The new spec with the old value of everything that may change. */
function withoutMutable(spec: Json, old: Json): Json {
  const result = structuredClone(spec);
  for (const list of ["containers", "initContainers"]) {
    for (const [index, container] of (result[list] ?? []).entries()) container.image = old[list][index].image;
  }
  for (const field of ["activeDeadlineSeconds", "tolerations", "schedulingGates"]) {
    if (old[field] === undefined) delete result[field];
    else result[field] = old[field];
  }
  if (old.terminationGracePeriodSeconds < 0 && result.terminationGracePeriodSeconds === 1) {
    result.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
  // A scheduler's binding may be written as an update.
  if (old.nodeName === undefined) delete result.nodeName;
  return result;
}

function validateDeadlineChange(next: number | undefined, old: number | undefined): FieldError[] {
  const at = "spec.activeDeadlineSeconds";
  if (old === undefined) return validateActiveDeadline(next, at);
  if (next === undefined) return [invalidValue(at, next, "must not update from a positive integer to nil value")];
  return next > old ? [invalidValue(at, next, "must be less than or equal to previous value")] : [];
}

function validateTolerationChange(next: Json[], old: Json[]): FieldError[] {
  const kept = old.every((toleration) => next.some((one) => isDeepStrictEqual(bare(one), bare(toleration))));
  return kept
    ? []
    : [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

/** Gates may only be opened. */
function validateGatesChange(next: Json[], old: Json[]): FieldError[] {
  const known = new Set(old.map(({ name }) => name));
  return next.filter(({ name }) => !known.has(name)).map(({ name }) =>
    forbidden("spec.schedulingGates", `only deletion is allowed, but found new scheduling gate '${name}'`)
  );
}

function bare({ tolerationSeconds: _seconds, ...rest }: Json): Json {
  return rest;
}

/** A container that has ended and is not restarted cannot run again. */
function validateNoRevival(list: string, pod: Json, old: Json): FieldError[] {
  if (pod.spec.restartPolicy === "Always") return [];
  return (old.status?.[list] ?? []).flatMap((was: Json) => {
    if (!was.state?.terminated) return [];
    if (was.state.terminated.exitCode !== 0 && pod.spec.restartPolicy === "OnFailure") return [];
    const index = (pod.status?.[list] ?? []).findIndex(({ name }: Json) => name === was.name);
    const now = pod.status?.[list]?.[index];
    return now && !now.state?.terminated
      ? [forbidden(`status.${list}[${index}].state`, "may not be transitioned to non-terminated state")]
      : [];
  });
}
