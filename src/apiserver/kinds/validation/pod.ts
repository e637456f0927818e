import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { KUBERNETES_TYPES } from "../../schema/kubernetes_types.ts";
import { type Check, each, must, named, rules } from "./check.ts";
import { ONLY_OF_PODS } from "./container.ts";
import { forbidden, immutable, invalidValue, required } from "./field_errors.ts";
import { gatedChange, withoutGated } from "./gated_pod.ts";
import { qualifiedNameErrors, subdomainErrors } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object_meta.ts";
import { validatePodSpec } from "./pod_spec.ts";
import { validateProfileAnnotations } from "./profile_annotations.ts";
import { TOLERATIONS } from "./scheduling.ts";
import { structDiff } from "./spec_diff.ts";

const ONLY_THESE_MAY_CHANGE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const MAX_INT32 = 2 ** 31 - 1;
const NAMED = { namespaced: true, custom: false, validateName: subdomainErrors };

/** Returns what is wrong with a new Pod. */
export function validatePod(pod: Json): FieldError[] {
  const { spec } = pod;
  return [
    ...validateSpec(pod),
    ...(spec.ephemeralContainers?.length ? [forbidden("spec.ephemeralContainers", "cannot be set on create")] : []),
    ...(spec.nodeName && spec.schedulingGates?.length
      ? [forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
      : []),
    ...validateProfileAnnotations(pod),
  ];
}

/** Core `validatePodMetadataAndSpec`, without the metadata. */
function validateSpec({ metadata, spec }: Json): FieldError[] {
  return [
    ...validatePodSpec(spec, "spec", metadata.name ?? ""),
    ...(spec.serviceAccountName ? [] : tokensOfNobody(spec.volumes ?? [])),
    ...each(ONLY_OF_PODS)(spec.containers ?? [], "spec.containers", undefined),
    ...each(ONLY_OF_PODS)(spec.initContainers ?? [], "spec.initContainers", undefined),
  ];
}

function tokensOfNobody(volumes: Json[]): FieldError[] {
  return volumes.flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }: Json, source: number) =>
      !serviceAccountToken ? [] : [forbidden(
        `spec.volumes[${index}].projected.sources[${source}].serviceAccountToken`,
        "must not be specified when serviceAccountName is not set",
      )]
    )
  );
}

/** Core `ValidatePodUpdate`. */
export function validatePodUpdate(pod: Json, old: Json): FieldError[] {
  const { spec } = pod, { spec: oldSpec } = old;
  const errors = [
    ...validateObjectMetaUpdate(pod, old),
    ...validateObjectMeta(pod.metadata, NAMED),
    ...validateSpec(pod),
  ];
  for (const list of ["containers", "initContainers"]) {
    const containers: Json[] = spec[list] ?? [];
    if (containers.length !== (oldSpec[list] ?? []).length) {
      return [...errors, forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
    }
    errors.push(...each(CHANGED_IMAGE)(containers, `spec.${list}`, undefined));
  }
  const deadline = deadlineChange(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds);
  errors.push(...deadline);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return errors;
  errors.push(...tolerationChange(spec.tolerations ?? [], oldSpec.tolerations ?? []));
  errors.push(...gatesChange(spec.schedulingGates ?? [], oldSpec.schedulingGates ?? []));
  const isGated = (oldSpec.schedulingGates ?? []).length > 0;
  const mutable = withoutMutable(spec, oldSpec);
  if (isGated) errors.push(...gatedChange(spec, oldSpec));
  const fixed = isGated ? withoutGated(mutable, oldSpec) : mutable;
  if (!isDeepStrictEqual(fixed, oldSpec)) {
    const difference = structDiff(oldSpec, fixed, KUBERNETES_TYPES.struct("core.PodSpec"));
    errors.push(forbidden("spec", `${ONLY_THESE_MAY_CHANGE}\n${difference}`));
  }
  return errors;
}

const CHANGED_IMAGE = rules(
  "core ValidateContainerUpdates",
  ["", ({ image }: Json, at) => image ? [] : [required(`${at}.image`)]],
  ["", ONLY_OF_PODS],
);

const SYSTEM_CONDITIONS = ["PodScheduled", "Ready", "Initialized"];
const OBSERVED_GENERATION = must("must be a non-negative integer", (generation: number) => generation >= 0);

const CONDITION = rules(
  "core validatePodConditions",
  ["observedGeneration", OBSERVED_GENERATION],
  [
    "",
    ({ type = "" }: Json, at, scope) =>
      SYSTEM_CONDITIONS.includes(type) ? [] : named(qualifiedNameErrors)(type, `${at}.Type`, scope),
  ],
);

const STATUS: Check<Json> = rules<Json>(
  "core ValidatePodStatusUpdate",
  ["conditions", each(CONDITION)],
  [
    "nominatedNodeName",
    (name, at, old) => name && name !== old.nominatedNodeName ? named(subdomainErrors)(name, at, undefined) : [],
  ],
  ["observedGeneration", OBSERVED_GENERATION],
  ["qosClass", (qosClass, at, old) => old.qosClass ? immutable(at, qosClass, old.qosClass, isDeepStrictEqual) : []],
);

export function validatePodStatusUpdate(pod: Json, old: Json): FieldError[] {
  return [
    ...validateObjectMetaUpdate(pod, old),
    ...STATUS(pod.status ?? {}, "status", old.status ?? {}),
    ...["containerStatuses", "initContainerStatuses"].flatMap((list) => noRevival(list, pod, old)),
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

function deadlineChange(next: number | undefined, old: number | undefined): FieldError[] {
  const at = "spec.activeDeadlineSeconds";
  const problem = next === undefined
    ? old === undefined ? undefined : "must not update from a positive integer to nil value"
    : next < 0 || next > MAX_INT32
    ? `must be between 0 and ${MAX_INT32}, inclusive`
    : old !== undefined && next > old
    ? "must be less than or equal to previous value"
    : undefined;
  return problem ? [invalidValue(at, next, problem)] : [];
}

function tolerationChange(next: Json[], old: Json[]): FieldError[] {
  const kept = old.every((toleration) => next.some((one) => isDeepStrictEqual(bare(one), bare(toleration))));
  return kept
    ? TOLERATIONS(next, "spec.tolerations", undefined)
    : [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

/** Gates may only be opened. */
function gatesChange(next: Json[], old: Json[]): FieldError[] {
  const known = new Set(old.map(({ name }) => name));
  return next.flatMap(({ name }, index) =>
    known.has(name) ? [] : [forbidden(
      `spec.schedulingGates[${index}].name`,
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    )]
  );
}

function bare({ tolerationSeconds: _seconds, ...rest }: Json): Json {
  return rest;
}

/** A container that has ended and is not restarted cannot run again. */
function noRevival(list: string, pod: Json, old: Json): FieldError[] {
  const { restartPolicy, initContainers = [] } = old.spec;
  if (restartPolicy === "Always") return [];
  return (old.status?.[list] ?? []).flatMap((was: Json, index: number) => {
    if (!was.state?.terminated) return [];
    if (was.state.terminated.exitCode !== 0 && restartPolicy === "OnFailure") return [];
    const isSidecar = ({ name, restartPolicy }: Json) => name === was.name && restartPolicy === "Always";
    if (list === "initContainerStatuses" && initContainers.some(isSidecar)) return [];
    const now = (pod.status?.[list] ?? []).find(({ name }: Json) => name === was.name);
    return now && !now.state?.terminated
      ? [forbidden(`status.${list}[${index}].state`, "may not be transitioned to non-terminated state")]
      : [];
  });
}
