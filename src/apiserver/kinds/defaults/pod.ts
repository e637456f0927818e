import { isDeepStrictEqual } from "node:util";
import { ownValue } from "../../../runtime/own_value.ts";
import { details, forbidden } from "../../refusals.ts";
import type { Json } from "../../resource_kind.ts";
import { APP_ARMOR, LOCAL } from "../profile_annotations.ts";
import { found } from "../validation/field_errors.ts";
import { validateAppArmorProfile } from "../validation/security_context.ts";
import { setResourcesOfAll } from "./pod_resources.ts";
import { allContainers, setPodSpecDefaults } from "./pod_spec.ts";

const TAINTS_OUTLIVED = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Fills in what a Pod leaves out, as kube-apiserver does. */
export function setPodDefaults(pod: Json): void {
  setPodSpecDefaults(pod.spec);
  pod.spec.enableServiceLinks ??= true;
  for (const { resources } of allContainers(pod.spec)) {
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
  }
  setResourcesOfAll(pod.spec);
  // In a template they may still change.
  for (const { ports = [] } of pod.spec.hostNetwork ? allContainers(pod.spec) : []) {
    for (const port of ports) port.hostPort ??= port.containerPort;
  }
  const { status } = pod;
  if (status?.podIP && !status.podIPs) status.podIPs = [{ ip: status.podIP }];
  if (status?.hostIP && !status.hostIPs) status.hostIPs = [{ ip: status.hostIP }];
}

/**
 * Adds what kube-apiserver's admission plugins add to a new Pod.
 *
 * @throws {Refusal} 403 for what they compute, and the Pod says otherwise
 */
export function admitPod(pod: Json): void {
  const { spec } = pod;
  setPriority(pod);
  for (const key of TAINTS_OUTLIVED) {
    const tolerated = (spec.tolerations ?? []).some((toleration: Json) =>
      (toleration.key === key || !toleration.key) && (!toleration.effect || toleration.effect === "NoExecute")
    );
    if (!tolerated) {
      (spec.tolerations ??= []).push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
    }
  }
}

const PREEMPTS = "PreemptLowerPriority";

/** The plugin `Priority`. Of a class that Kubernetes does not bring along nothing is known. */
function setPriority({ metadata, spec }: Json): void {
  const priority = spec.priorityClassName ? ownValue<number>(PRIORITY_CLASSES, spec.priorityClassName) : 0;
  const check = (what: string, given: unknown, computed: unknown) => {
    if (priority === undefined || given === undefined || given === computed) return;
    const kind = { group: "", plural: "pods" }, { name } = metadata;
    const why = `the ${what} (${given}) must not be provided in pod spec; ` +
      `priority admission controller computed ${computed} from the given PriorityClass name`;
    throw forbidden(`pods ${JSON.stringify(name)} is forbidden: ${why}`, details(kind, name));
  };
  check("integer value of priority", spec.priority, priority);
  spec.priority ??= priority ?? 0;
  check("string value of PreemptionPolicy", spec.preemptionPolicy, PREEMPTS);
  spec.preemptionPolicy ??= PREEMPTS;
}

/** Core `mutatePodAffinity`, `mutateTopologySpreadConstraints`: selects by the Pod's own labels, where it is asked to. */
export function selectByOwnLabels({ metadata: { labels = {} }, spec }: Json): void {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((one: Json) => one?.podAffinityTerm),
  ]);
  for (const term of [...terms, ...(spec.topologySpreadConstraints ?? [])]) {
    const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term ?? {};
    const own = ([["In", matchLabelKeys], ["NotIn", mismatchLabelKeys]] as const).flatMap(([operator, keys]) =>
      keys.filter((key: string) => Object.hasOwn(labels, key))
        .map((key: string) => ({ key, operator, values: [labels[key]] }))
    );
    if (labelSelector && own.length) labelSelector.matchExpressions = [...labelSelector.matchExpressions ?? [], ...own];
  }
}

/** Pod `applyAppArmorVersionSkew`: what an annotation said once becomes the field that says it now. */
export function setAppArmorProfiles(
  { metadata: { annotations = {} }, spec }: Json,
  warn: (text: string) => void,
): void {
  if (spec.os?.name === "windows") return;
  for (const container of allContainers(spec)) {
    const key = APP_ARMOR.ofContainers + container.name, annotation = ownValue<string>(annotations, key);
    if (annotation === undefined || container.securityContext?.appArmorProfile) continue;
    const profile = appArmorProfile(annotation);
    const isOwn = profile && !isDeepStrictEqual(profile, spec.securityContext?.appArmorProfile);
    if (isOwn) (container.securityContext ??= {}).appArmorProfile = profile;
    if (!profile || isOwn) warn(`metadata.annotations[${key}]: ${APP_ARMOR.instead}`);
  }
}

/** Returns the field for an annotation; undefined for what the field could not say. */
function appArmorProfile(annotation: string): Json | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const localhostProfile = annotation.startsWith(LOCAL) ? annotation.slice(LOCAL.length) : "";
  const profile = { type: "Localhost", localhostProfile };
  return found(validateAppArmorProfile(profile, "")).length === 0 ? profile : undefined;
}

const PRIORITY_CLASSES: Record<string, number> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};
