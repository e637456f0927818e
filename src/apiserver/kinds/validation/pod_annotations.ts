import { messageOf } from "../../../telemetry/message_of.ts";
import type { Json } from "../../resource_kind.ts";
import { CORE_TYPES } from "../../schema/types/core.ts";
import { TypeMismatch } from "../../schema/scalars.ts";
import { typedObject } from "../../schema/typed_object.ts";
import { APP_ARMOR, type Former, LOCAL, SECCOMP } from "../profile_annotations.ts";
import { DESCENDING_PATH } from "./check.ts";
import { type Findings, forbidden, invalidValue } from "./field_errors.ts";
import { ofContainers } from "./pod_scope.ts";
import { TOLERATIONS } from "./scheduling.ts";

const MIRROR = "kubernetes.io/config.mirror";
const TOLERATIONS_KEY = "scheduler.alpha.kubernetes.io/tolerations";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

/** An annotation with a meaning of its own: whose it is, and what is wrong with its value. */
type AnnotationRule = readonly [
  isMeant: (key: string) => boolean,
  check: (value: string, at: string, key: string, spec: Json, containers: ReadonlySet<string>) => Findings,
];

/** Core `ValidatePodSpecificAnnotations`, in its order. */
const RULES: readonly AnnotationRule[] = [
  [
    (key) => key === MIRROR,
    (value, at, key, { nodeName }) =>
      !nodeName && invalidValue(`${at}[${key}]`, value, "must set spec.nodeName if mirror pod annotation is set"),
  ],
  [(key) => key === TOLERATIONS_KEY, (value, at, key) => tolerationsIn(value, at, key)],
  [
    (key) => key === DELETION_COST,
    (value, at, key) => !isInt32(value) && invalidValue(`${at}[${key}]`, value, "must be a 32bit integer"),
  ],
  [(key) => key === SECCOMP.ofPod, (value, at, key) => seccompProfile(value, `${at}.${key}`)],
  [(key) => key.startsWith(SECCOMP.ofContainers), (value, at, key) => seccompProfile(value, `${at}.${key}`)],
  [(key) => key.startsWith(APP_ARMOR.ofContainers), (value, at, key, _spec, containers) => {
    const name = key.slice(APP_ARMOR.ofContainers.length), place = `${at}[${key}]`;
    return [
      !containers.has(name) &&
      invalidValue(place, name, "container not found"),
      !["", "runtime/default", "unconfined"].includes(value) && !value.startsWith(LOCAL) &&
      invalidValue(place, value, `invalid AppArmor profile name: ${JSON.stringify(value)}`),
    ];
  }],
];

/** Returns what is wrong with the annotations of a Pod, or of a template, that mean something to Kubernetes. */
export function validatePodAnnotations({ metadata, spec }: Json, at: string): Findings {
  const given = Object.entries<string>(metadata?.annotations ?? {}).sort(([a], [b]) => a < b ? -1 : 1);
  const containers = new Set<string>(ofContainers(spec, "", ({ name }) => name));
  return RULES.map(([isMeant, check]) =>
    given.filter(([key]) => isMeant(key)).map(([key, value]) => check(value, at, key, spec, containers))
  );
}

/** Core `ValidatePodSpecificAnnotationUpdates`. */
export function validatePodAnnotationUpdates(pod: Json, old: Json): Findings {
  const at = "metadata.annotations",
    next: Json = pod.metadata.annotations ?? {},
    was: Json = old.metadata.annotations ?? {};
  const fixed = (key: string) =>
    key.startsWith(APP_ARMOR.ofContainers) ? "AppArmor annotations" : key === MIRROR && "mirror pod annotation";
  const changed = (keys: string[], verb: string) =>
    keys.sort().map((key) => fixed(key) && forbidden(`${at}[${key}]`, `may not ${verb} ${fixed(key)}`));
  return [
    changed(Object.keys(was).filter((key) => next[key] !== was[key]), "remove or update"),
    changed(Object.keys(next).filter((key) => was[key] === undefined), "add"),
    validatePodAnnotations(pod, at),
  ];
}

/** Core `ValidateTolerationsInPodAnnotations`. */
function tolerationsIn(text: string, at: string, key: string): Findings {
  let tolerations: Json[];
  try {
    const list: unknown = JSON.parse(text || "null") ?? [];
    if (!Array.isArray(list)) {
      throw new TypeMismatch(`json: cannot unmarshal ${typeof list} into Go value of type []core.Toleration`);
    }
    tolerations = list.map((one) => typedObject(one, CORE_TYPES.struct("Toleration")).object);
  } catch (error) {
    return invalidValue(at, key, messageOf(error));
  }
  return TOLERATIONS(tolerations, `${at}.${key}`);
}

function isInt32(text: string): boolean {
  return /^(0|-?[1-9]\d*|-0+\d*)$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31;
}

function seccompProfile(profile: string, at: string): Findings {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return [];
  return profile.startsWith(LOCAL)
    ? DESCENDING_PATH(profile.slice(LOCAL.length), at)
    : invalidValue(at, profile, "must be a valid seccomp profile");
}

/** Core `validateSeccompAnnotationsAndFields`, `validateAppArmorAnnotationsAndFieldsMatchOnCreate`. */
export function validateProfileAnnotations({ metadata, spec }: Json): Findings {
  const annotations: Json = metadata.annotations ?? {};
  const formers: readonly Former[] = spec.os?.name === "windows" ? [SECCOMP] : [SECCOMP, APP_ARMOR];
  return formers.map((former) => [
    former.ofPod && contradictions(former, annotations[former.ofPod], spec.securityContext, "spec"),
    ofContainers(spec, "spec", ({ name, securityContext }, at) =>
      contradictions(
        former,
        annotations[former.ofContainers + name],
        // A container has the Pod's profile unless it has its own; of seccomp Kubernetes looks at its own alone.
        former === APP_ARMOR ? { ...spec.securityContext, ...securityContext } : securityContext,
        at,
      )),
  ]);
}

function contradictions(
  { field, name, runtimeDefault }: Former,
  annotation: string | undefined,
  context: Json | undefined,
  path: string,
): Findings {
  const profile = context?.[field], at = `${path}.securityContext.${field}`;
  if (annotation === undefined || !profile) return [];
  const isAllowed = profile.type === "Unconfined"
    ? annotation === "unconfined"
    : profile.type === "RuntimeDefault"
    ? runtimeDefault.includes(annotation)
    : profile.type !== "Localhost" || annotation.startsWith(LOCAL);
  if (!isAllowed) return forbidden(`${at}.type`, `${name} type in annotation and field must match`);
  return profile.type === "Localhost" && annotation.slice(LOCAL.length) !== profile.localhostProfile &&
    forbidden(`${at}.localhostProfile`, `${name} profile in annotation and field must match`);
}
