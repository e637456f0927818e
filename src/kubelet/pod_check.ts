import type { Container, Volume } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import { isPause } from "./container_command.ts";

/** Why a Pod cannot run here at all, whatever happens later. */
export interface Refusal {
  /** For the Pod's status, one CamelCase word. */
  readonly reason: string;
  /** Names the field and the remedy. */
  readonly message: string;
}

/** Who the program runs as; undefined where the system knows no such numbers. */
export interface Self {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

const VOLUME_SOURCES = new Set(["emptyDir", "configMap", "secret", "downwardAPI", "projected"]);
const PROJECTED_SOURCES = new Set(["configMap", "secret", "downwardAPI"]);

/** All containers of a Pod with the path of the field that holds them, init containers first. */
export function containersOf(pod: Pod): { container: Container; field: string; init: boolean }[] {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  return [
    ...initContainers.map((container, index) => ({ container, field: `spec.initContainers[${index}]`, init: true })),
    ...containers.map((container, index) => ({ container, field: `spec.containers[${index}]`, init: false })),
  ];
}

/** The first thing in a Pod that a local process cannot have or must not get, if there is one. */
export function refusalOf(pod: Pod, self: Self): Refusal | undefined {
  for (const volume of pod.spec?.volumes ?? []) {
    const refusal = checkVolume(volume);
    if (refusal) return refusal;
  }
  const ofPod = checkUser(pod.spec?.securityContext, "spec.securityContext", self);
  if (ofPod) return ofPod;
  for (const { container, field } of containersOf(pod)) {
    const refusal = checkContainer(container, field, self);
    if (refusal) return refusal;
  }
  return undefined;
}

/** What a container asks for that changes how it would run on a cluster, but not here. */
export function ignoredFields(container: Container): string[] {
  const fields = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"] as const;
  return [...fields.filter((field) => container[field]), ...container.resources?.limits ? ["resources.limits"] : []];
}

function checkContainer(container: Container, field: string, self: Self): Refusal | undefined {
  const security = container.securityContext;
  if (security?.privileged) {
    return notAllowed(`${field}.securityContext.privileged is not possible: containers are plain processes here`);
  }
  const added = security?.capabilities?.add ?? [];
  if (added.length > 0) {
    return notAllowed(
      `${field}.securityContext.capabilities.add [${
        added.join(", ")
      }] is not possible: containers are plain processes here`,
    );
  }
  const user = checkUser(security, `${field}.securityContext`, self);
  if (user) return user;
  for (const name of ["stdin", "tty"] as const) {
    if (!container[name]) continue;
    return {
      reason: "UnsupportedField",
      message: `${field}.${name} is not supported here: nobody can attach to a process; leave the field out`,
    };
  }
  if (!container.command?.length && !container.args?.length && !isPause(container)) {
    return {
      reason: "MissingCommand",
      message: `Container "${container.name}" has neither command nor args, and its image's own entry point is not ` +
        `known as images are not pulled here: set ${field}.command to what is to run`,
    };
  }
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

function checkUser(
  context: { runAsUser?: number; runAsGroup?: number; runAsNonRoot?: boolean } | undefined,
  field: string,
  self: Self,
): Refusal | undefined {
  if (context?.runAsUser !== undefined && context.runAsUser !== self.uid) {
    return notAllowed(
      `${field}.runAsUser ${context.runAsUser} is not possible: processes run as the user who started the program ` +
        `(${self.uid}); leave the field out`,
    );
  }
  if (context?.runAsGroup !== undefined && context.runAsGroup !== self.gid) {
    return notAllowed(
      `${field}.runAsGroup ${context.runAsGroup} is not possible: processes run with the group of who started the ` +
        `program (${self.gid}); leave the field out`,
    );
  }
  if (context?.runAsNonRoot && self.uid === 0) {
    return notAllowed(
      `${field}.runAsNonRoot is not possible: the program was started by root, and processes run as who started it`,
    );
  }
  return undefined;
}

function checkVolume(volume: Volume): Refusal | undefined {
  const source =
    Object.keys(volume).find((key) =>
      key !== "name" && volume[key as keyof Volume] !== undefined && volume[key as keyof Volume] !== null
    ) ?? "emptyDir";
  if (source === "hostPath") {
    return notAllowed(
      `Volume "${volume.name}" has a hostPath, which is not possible: a process sees the machine's files under their own paths`,
    );
  }
  const projected = (volume.projected?.sources ?? []).flatMap((each) => Object.keys(each))
    .find((each) => !PROJECTED_SOURCES.has(each));
  if (!VOLUME_SOURCES.has(source) || projected) {
    return {
      reason: "UnsupportedVolume",
      message: `Volume "${volume.name}" is of kind ${projected ?? source}, which is not supported here: use ` +
        `${projected ? "configMap, secret or downwardAPI" : "emptyDir, configMap, secret, downwardAPI or projected"}`,
    };
  }
  return undefined;
}

function notAllowed(message: string): Refusal {
  return { reason: "NotAllowed", message };
}
