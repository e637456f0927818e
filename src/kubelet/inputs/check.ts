import type { Container, PodSecurityContext, PodSpec, Probe, SecurityContext, Volume } from "kubernetes-types/core/v1";
import type { Pod } from "../../kube/resource.ts";

/** Why a Pod cannot run here at all, whatever happens later. */
export interface Refusal {
  /** For the Pod's status, one CamelCase word. */
  readonly reason: string;
  /** Names the field and the remedy. */
  readonly message: string;
}

/** For an Event: something that a container asks for and does not get. */
export interface Notice {
  readonly reason: "NotMounted" | "Ignored";
  readonly message: string;
}

const VOLUME_FIELDS = new Set(["name", "emptyDir", "configMap", "secret"]);

/** A container of a Pod, with the path of the field that holds it. */
interface PlacedContainer {
  readonly container: Container;
  readonly field: string;
  readonly init: boolean;
}

/** Returns all containers of a Pod, init containers first. */
export function containersOf(pod: Pod): PlacedContainer[] {
  return pod.spec ? containersOfSpec(pod.spec) : [];
}

/** Returns all containers of a Pod's spec, init containers first. */
export function containersOfSpec({ initContainers = [], containers = [] }: PodSpec): PlacedContainer[] {
  return [
    ...initContainers.map((container, index) => ({ container, field: `spec.initContainers[${index}]`, init: true })),
    ...containers.map((container, index) => ({ container, field: `spec.containers[${index}]`, init: false })),
  ];
}

/** The rules of a runtime itself: each refuses a field, by its path. */
export interface RuntimeRules {
  hostPath(volume: Volume, path: string): Refusal | undefined;
  container(container: Container, field: string): Refusal | undefined;
  /** Of the Pod, and of each container. */
  security(context: SecurityContext | PodSecurityContext | undefined, field: string): Refusal | undefined;
}

/** Returns the first thing in a Pod that a runtime cannot run. */
export function firstRefusal(spec: PodSpec, rules: RuntimeRules): Refusal | undefined {
  for (const volume of spec.volumes ?? []) {
    const refusal = checkVolume(volume, (path) => rules.hostPath(volume, path));
    if (refusal) return refusal;
  }
  const ofPod = rules.security(spec.securityContext, "spec.securityContext");
  if (ofPod) return ofPod;
  for (const { container, field } of containersOfSpec(spec)) {
    const refusal = rules.container(container, field) ??
      rules.security(container.securityContext, `${field}.securityContext`) ?? checkEnvironment(container, field);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Returns the first source of a variable's value that no runtime here knows. */
function checkEnvironment(container: Container, field: string): Refusal | undefined {
  for (const [index, { name, valueFrom }] of (container.env ?? []).entries()) {
    if (valueFrom && !valueFrom.fieldRef && !valueFrom.configMapKeyRef && !valueFrom.secretKeyRef) {
      return {
        reason: "UnsupportedField",
        message: `${field}.env[${index}].valueFrom.${Object.keys(valueFrom)[0]} of "${name}" is not supported here: ` +
          "use fieldRef, configMapKeyRef, secretKeyRef or a plain value",
      };
    }
  }
  return undefined;
}

/** Refuses kinds of volumes that no runtime here knows, and with `refuseHostPath` what that says of a hostPath. */
function checkVolume(
  volume: Volume,
  refuseHostPath: (path: string) => Refusal | undefined,
): Refusal | undefined {
  if (volume.hostPath) return refuseHostPath(volume.hostPath.path);
  const unknown = Object.entries(volume).find(([key, source]) => source && !VOLUME_FIELDS.has(key));
  if (!unknown) return undefined;
  return {
    reason: "UnsupportedVolume",
    message: `Volume "${volume.name}" is of kind ${
      unknown[0]
    }, which is not supported here: use emptyDir, configMap or secret`,
  };
}

/** Returns the fields of a container that no runtime here acts on: it has no hooks, and no client can attach to it. */
export function unusableFields(container: Container): string[] {
  const { lifecycle = {}, restartPolicyRules = [] } = container as Container & { restartPolicyRules?: unknown[] };
  const probes = (["startupProbe", "readinessProbe", "livenessProbe"] as const).flatMap((field) =>
    (["httpGet", "tcpSocket", "grpc"] as const).filter((part) => (container[field] as Probe | undefined)?.[part])
      .map((part) => `${field}.${part} (use exec)`)
  );
  const hooks = (["postStart", "preStop"] as const).filter((hook) => lifecycle[hook]);
  const input = (["stdin", "tty"] as const).filter((field) => container[field]);
  const rules = restartPolicyRules.length > 0 ? ["restartPolicyRules"] : [];
  return [...probes, ...hooks.map((hook) => `lifecycle.${hook}`), ...rules, ...input];
}

/** Returns the notice of a container's fields that have no effect, if there are any. */
export function ignoredNotice({ name }: Container, fields: readonly string[]): Notice[] {
  if (fields.length === 0) return [];
  const have = fields.length === 1 ? "has" : "have";
  return [{ reason: "Ignored", message: `Container "${name}": ${fields.join(", ")} ${have} no effect here` }];
}

/** Returns the refusal of a right that no Pod gets here. */
export function notAllowed(message: string): Refusal {
  return { reason: "NotAllowed", message };
}
