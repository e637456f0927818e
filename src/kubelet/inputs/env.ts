import type { Container, EnvVar, EnvVarSource } from "kubernetes-types/core/v1";
import type { Pod } from "../../kube/resource.ts";
import { ownValue } from "../../base/own_value.ts";
import { ContainerConfigError } from "./config_error.ts";
import type { ReferenceKind, References } from "./references.ts";

/** The variables that cron, a login and systemd also give to programs, and scripts rely on. */
const HANDED_ON = ["USER", "LOGNAME", "SHELL", "LANG", "TZ"];

/** Returns the variables that every container's process gets from those of the program. */
export function baseEnvironment(own: { get(name: string): string | undefined }): Record<string, string> {
  const handedOn = HANDED_ON.filter((name) => own.get(name)).map((name) => [name, own.get(name)]);
  const PATH = own.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin";
  return { PATH, HOME: own.get("HOME") ?? "/", ...Object.fromEntries(handedOn) };
}

/**
 * Resolves `envFrom` and `env`, in that order, later names winning; `$(NAME)` in a value stands for what came before it.
 *
 * @param options.preset variables that the container gets unless its manifest has others of the name
 * @returns the preset ones and those of the manifest
 * @throws {ContainerConfigError} if something referred to is missing and not optional
 */
export async function containerEnvironment(
  pod: Pod,
  container: Container,
  { references, preset = {} }: { references: References; preset?: Readonly<Record<string, string>> },
): Promise<Record<string, string>> {
  const variables: Record<string, string> = { ...preset };
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const values = configMapRef
      ? await dataOf("ConfigMap", configMapRef, references)
      : await dataOf("Secret", secretRef!, references);
    for (const [key, value] of Object.entries(values ?? {})) variables[prefix + key] = value;
  }
  for (const variable of container.env ?? []) {
    const value = await valueOf(pod, variable, variables, references);
    if (value !== undefined) variables[variable.name] = value;
  }
  return variables;
}

/**
 * Replaces `$(NAME)` by the variable's value and `$$` by `$`, as Kubernetes does in `command`, `args` and the values of
 * `env`. A name that is not there stays as it is written.
 */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(?:\$|\(([^()]*)\))/g, (whole, name) => {
    return whole === "$$" ? "$" : ownValue(variables, name) ?? whole;
  });
}

async function valueOf(
  pod: Pod,
  { name, value, valueFrom }: EnvVar,
  known: Readonly<Record<string, string>>,
  references: References,
): Promise<string | undefined> {
  if (!valueFrom) return expand(value ?? "", known);
  const { fieldRef, configMapKeyRef, secretKeyRef } = valueFrom as EnvVarSource;
  if (fieldRef) return podField(pod, fieldRef.fieldPath);
  const [kind, reference] = configMapKeyRef
    ? ["ConfigMap", configMapKeyRef] as const
    : ["Secret", secretKeyRef] as const;
  if (!reference) throw new ContainerConfigError(`environment variable "${name}" has a source that is not supported`);
  const values = await dataOf(kind, reference, references);
  const found = ownValue(values, reference.key);
  if (found !== undefined || reference.optional) return found;
  throw new ContainerConfigError(
    `couldn't find key ${reference.key} in ${kind} ${pod.metadata.namespace}/${reference.name}`,
  );
}

/** Undefined where it is missing, and may be. */
async function dataOf(
  kind: ReferenceKind,
  { name = "", optional }: { readonly name?: string; readonly optional?: boolean },
  references: References,
): Promise<Record<string, string> | undefined> {
  const found = await references(kind, name);
  if (!found && !optional) throw new ContainerConfigError(`${kind.toLowerCase()} "${name}" not found`);
  const decoder = new TextDecoder();
  return found && Object.fromEntries(Object.entries(found.data).map(([key, bytes]) => [key, decoder.decode(bytes)]));
}

/** The address of every Pod: its processes share the machine's network. */
export const LOCAL_ADDRESS = "127.0.0.1";

const SUBSCRIPTED = /^metadata\.(labels|annotations)\['([^']+)'\]$/;

/** @throws {ContainerConfigError} for a path that Kubernetes does not offer */
function podField(pod: Pod, path: string): string {
  const [, map, key] = SUBSCRIPTED.exec(path) ?? [];
  if (key) return ownValue(map === "labels" ? pod.metadata.labels : pod.metadata.annotations, key) ?? "";
  const read = ownValue(FIELDS, path);
  if (!read) throw new ContainerConfigError(`unsupported fieldPath: ${path}`);
  return read(pod) ?? "";
}

const FIELDS: Readonly<Record<string, (pod: Pod) => string | undefined>> = {
  "metadata.name": (pod) => pod.metadata.name,
  "metadata.namespace": (pod) => pod.metadata.namespace,
  "metadata.uid": (pod) => pod.metadata.uid,
  "spec.nodeName": (pod) => pod.spec?.nodeName,
  "spec.serviceAccountName": (pod) => pod.spec?.serviceAccountName ?? "default",
  "status.hostIP": () => LOCAL_ADDRESS,
  "status.hostIPs": () => LOCAL_ADDRESS,
  "status.podIP": () => LOCAL_ADDRESS,
  "status.podIPs": () => LOCAL_ADDRESS,
};
