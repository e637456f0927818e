import type { Container, PodSecurityContext, PodSpec, SecurityContext, Volume } from "kubernetes-types/core/v1";

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

/** Returns all containers of a Pod, init containers first, each with the path of the field that holds it. */
export function containersOf({ initContainers = [], containers = [] }: PodSpec) {
  return [
    ...initContainers.map((container, index) => ({ container, field: `spec.initContainers[${index}]`, init: true })),
    ...containers.map((container, index) => ({ container, field: `spec.containers[${index}]`, init: false })),
  ];
}

/** Something that a Pod may ask for and does not get. */
export interface Rule {
  /** The beginning of the message: the field and its value. */
  readonly what: string;
  readonly isAsked: unknown;
  /** The rest of the message: why it is not available, and the remedy. */
  readonly why: string;
  /** @default {"NotAllowed"} */
  readonly reason?: string;
}

/** The rules of a runtime itself, for fields by their paths. */
export interface RuntimeRules {
  readonly pod?: readonly Rule[];
  hostPath(volume: string, path: string): Rule;
  container(container: Container, field: string): readonly Rule[];
  /** Of the Pod, and of each container. */
  security(context: SecurityContext & PodSecurityContext, field: string): readonly Rule[];
}

/** Returns the first thing in a Pod that a runtime cannot run. */
export function firstRefusal(spec: PodSpec, rules: RuntimeRules): Refusal | undefined {
  const broken = [
    ...rules.pod ?? [],
    ...(spec.volumes ?? []).map((volume) =>
      volume.hostPath ? rules.hostPath(volume.name, volume.hostPath.path) : kindRule(volume)
    ),
    ...rules.security(spec.securityContext ?? {}, "spec.securityContext"),
    ...containersOf(spec).flatMap(({ container, field }) => [
      ...rules.container(container, field),
      ...rules.security(container.securityContext ?? {}, `${field}.securityContext`),
      ...sourceRules(container, field),
    ]),
  ].find(({ isAsked }) => isAsked);
  return broken && { reason: broken.reason ?? "NotAllowed", message: `${broken.what} ${broken.why}` };
}

/** The values of fields that ask for nothing. */
const DEFAULTS = ["Default", "None", "RuntimeDefault"];

/** Returns rules for fields that a runtime does not know, where they ask for anything. */
export function unsupported(holder: object, path: string, fields: readonly string[]): Rule[] {
  return Object.entries(holder).filter(([field]) => fields.includes(field)).map(([field, value]) => ({
    what: `${path}.${field}`,
    isAsked: value && !DEFAULTS.includes(value.type ?? value) && value.length !== 0,
    why: "is not supported here: leave the field out",
    reason: "UnsupportedField",
  }));
}

/** The sources of a variable's value that no runtime here knows. */
function sourceRules({ env }: Container, field: string): Rule[] {
  return (env ?? []).map(({ name, valueFrom }, index) => ({
    what: `${field}.env[${index}].valueFrom.${Object.keys(valueFrom ?? {})[0]} of "${name}"`,
    isAsked: valueFrom && !valueFrom.fieldRef && !valueFrom.configMapKeyRef && !valueFrom.secretKeyRef,
    why: "is not supported here: use fieldRef, configMapKeyRef, secretKeyRef or a plain value",
    reason: "UnsupportedField",
  }));
}

/** The kinds of volumes that no runtime here knows. */
function kindRule(volume: Volume): Rule {
  const [unknown] = Object.entries(volume).find(([key, source]) => source && !VOLUME_FIELDS.has(key)) ?? [];
  return {
    what: `Volume "${volume.name}" is of kind ${unknown}, which`,
    isAsked: unknown,
    why: "is not supported here: use emptyDir, configMap or secret",
    reason: "UnsupportedVolume",
  };
}

/** Returns the fields of a container that no runtime here acts on: it has no hooks, and no client can attach to it. */
export function unusableFields(container: Container): string[] {
  const probes = (["startupProbe", "readinessProbe", "livenessProbe"] as const).flatMap((field) =>
    Object.keys(container[field] ?? {}).filter((part) => ["httpGet", "tcpSocket", "grpc"].includes(part))
      .map((part) => `${field}.${part} (use exec)`)
  );
  const hooks = Object.keys(container.lifecycle ?? {}).map((hook) => `lifecycle.${hook}`);
  const { restartPolicyRules = [], stdin, tty } = container as Container & { restartPolicyRules?: unknown[] };
  const others = Object.entries({ restartPolicyRules: restartPolicyRules.length, stdin, tty }).filter(([, set]) => set);
  return [...probes, ...hooks, ...others.map(([field]) => field)];
}

/** Returns the notice of a container's fields that have no effect, if there are any. */
export function ignoredNotice({ name }: Container, fields: readonly string[]): Notice[] {
  if (fields.length === 0) return [];
  const have = fields.length === 1 ? "has" : "have";
  return [{ reason: "Ignored", message: `Container "${name}": ${fields.join(", ")} ${have} no effect here` }];
}
