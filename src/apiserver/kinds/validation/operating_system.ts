import type { FieldError, Json } from "../../resource_kind.ts";
import { forbidden, required } from "./field_errors.ts";
import { oneOf } from "./check.ts";

const OF_CONTEXTS_BEFORE_HOST = ["appArmorProfile", "seLinuxOptions"];

/** Core `validateWindows`: what a Pod for Windows cannot have, in Kubernetes' order. */
const NOT_ON_WINDOWS = {
  pod: [
    ...OF_CONTEXTS_BEFORE_HOST.map((field) => `securityContext.${field}`),
    "hostUsers",
    "hostPID",
    "hostIPC",
    ...["seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"].map((field) => `securityContext.${field}`),
    "shareProcessNamespace",
    ...["runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"]
      .map((field) => `securityContext.${field}`),
  ],
  container: [
    ...OF_CONTEXTS_BEFORE_HOST,
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
  ].map((field) => `securityContext.${field}`),
  why: "cannot be set for a windows pod",
};

/** Core `validateLinux`. */
const NOT_ON_LINUX = {
  pod: ["securityContext.windowsOptions"],
  container: ["securityContext.windowsOptions"],
  why: "windows options cannot be set for a linux pod",
};

/** What the operating system that a Pod names forbids. Core `validateOS`. */
export function validateOperatingSystem(spec: Json, path: string): FieldError[] {
  if (!spec.os) return [];
  const { name } = spec.os, at = `${path}.os`;
  if (!name) return [required(`${at}.name`, "cannot be empty")];
  const errors = oneOf("linux", "windows")(name, at, undefined);
  if (errors.length > 0) return errors;
  const { pod, container, why } = name === "windows" ? NOT_ON_WINDOWS : NOT_ON_LINUX;
  const given = (owner: Json, fields: readonly string[], place: string) =>
    fields.filter((field) => isGiven(owner, field)).map((field) => forbidden(`${place}.${field}`, why));
  return [
    ...given(spec, pod, path),
    ...["initContainers", "containers"].flatMap((list) =>
      (spec[list] ?? []).flatMap((one: Json, index: number) => given(one, container, `${path}.${list}[${index}]`))
    ),
  ];
}

/** Go cannot tell an empty list, nor that nothing of the node is shared, from a field that is not there. */
function isGiven(owner: Json, field: string): boolean {
  const value = field.split(".").reduce<unknown>((object, name) => (object as Json | undefined)?.[name], owner);
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && !(value === false && /^host(PID|IPC)$/.test(field));
}
