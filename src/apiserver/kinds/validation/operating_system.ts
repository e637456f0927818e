import { valueAt } from "../../reading/field_selector.ts";
import type { Json } from "../../resource_kind.ts";
import { type Findings, forbidden, required } from "./field_errors.ts";
import { oneOf } from "./check.ts";
import { ofContainers } from "./pod_scope.ts";

const ofContext = (...fields: string[]) => fields.map((field) => `securityContext.${field}`);

/** Core `validateWindows`: what a Pod for Windows cannot have, in Kubernetes' order. */
const NOT_ON_WINDOWS = {
  pod: [
    ...ofContext("appArmorProfile", "seLinuxOptions"),
    ...["hostUsers", "hostPID", "hostIPC"],
    ...ofContext("seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"),
    "shareProcessNamespace",
    ...ofContext("runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"),
  ],
  container: [
    ...ofContext("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem"),
    ...ofContext("privileged", "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"),
  ],
  why: "cannot be set for a windows pod",
};

/** Core `validateLinux`. */
const NOT_ON_LINUX = {
  pod: ofContext("windowsOptions"),
  container: ofContext("windowsOptions"),
  why: "windows options cannot be set for a linux pod",
};

/** Returns what the operating system that a Pod names forbids. Core `validateOS`. */
export function validateOperatingSystem(spec: Json, path: string): Findings {
  if (!spec.os) return [];
  const { name } = spec.os, at = `${path}.os`;
  if (!name) return required(`${at}.name`, "cannot be empty");
  const unknown = oneOf("linux", "windows")(name, at);
  if (unknown) return unknown;
  const { pod, container, why } = name === "windows" ? NOT_ON_WINDOWS : NOT_ON_LINUX;
  const given = (owner: Json, fields: readonly string[], place: string) =>
    fields.filter((field) => isGiven(owner, field)).map((field) => forbidden(`${place}.${field}`, why));
  return [given(spec, pod, path), ofContainers(spec, path, (one, place) => given(one, container, place))];
}

/** Go cannot distinguish an empty list, nor that nothing of the node is shared, from a missing field. */
function isGiven(owner: Json, field: string): boolean {
  const value = valueAt(owner, field);
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && !(value === false && /^host(PID|IPC)$/.test(field));
}
