import type { Json } from "../../resource_kind.ts";
import { CORE_TYPES } from "../../schema/types/core.ts";
import {
  atMostBytes,
  type Check,
  DESCENDING_PATH,
  each,
  eachUnique,
  ID,
  must,
  oneOf,
  REQUIRED,
  requiredAs,
  rules,
} from "./check.ts";
import { type Findings, invalidValue, notSupported, required } from "./field_errors.ts";
import type { PodScope } from "./pod_scope.ts";
import { asStruct } from "./spec_diff.ts";
import { WINDOWS_OPTIONS } from "./windows.ts";

const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];

const SECCOMP_TYPE = rules(
  "core validateSeccompProfileField",
  ["type", requiredAs("type is required when seccompProfile is set"), oneOf(...PROFILES)],
);

/** Core `validateSeccompProfileField`. */
function seccompProfile(profile: Json, at: string): Findings {
  const { type, localhostProfile: local } = profile, field = `${at}.localhostProfile`;
  return [
    SECCOMP_TYPE(profile, at),
    type !== "Localhost"
      ? local !== undefined &&
        invalidValue(field, struct(profile, "SeccompProfile"), "can only be set when seccomp type is Localhost")
      : local === undefined
      ? required(field, "must be set when seccomp type is Localhost")
      : DESCENDING_PATH(local, field),
  ];
}

const MAX_PROFILE_BYTES = 4095;

/** Core `ValidateAppArmorProfileField`. */
export function validateAppArmorProfile({ type, localhostProfile: local }: Json, at: string): Findings {
  const field = `${at}.localhostProfile`, missing = "must be set when AppArmor type is Localhost";
  if (!type) return required(`${at}.type`, "type is required when appArmorProfile is set");
  if (!PROFILES.includes(type)) return notSupported(`${at}.type`, type, PROFILES);
  if (type !== "Localhost") {
    return local !== undefined && invalidValue(field, local, "can only be set when AppArmor type is Localhost");
  }
  if (!local) return required(field, missing);
  return [
    local.trim() !== local && invalidValue(field, local, "must not be padded with whitespace"),
    atMostBytes(MAX_PROFILE_BYTES)(local, field),
  ];
}

/** Without escalation, nothing that comes to the same. */
function escalation(context: Json, at: string): Findings {
  const conflict = (what: string) =>
    invalidValue(
      at,
      struct(context, "SecurityContext"),
      `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
    );
  return context.allowPrivilegeEscalation === false && [
    context.privileged && conflict("`privileged` to true"),
    (context.capabilities?.add ?? []).map((name: string) =>
      name === "CAP_SYS_ADMIN" && conflict("`capabilities.Add` CAP_SYS_ADMIN")
    ),
  ];
}

const UNMASKED = must(
  "`hostUsers` must be false to use `Unmasked`",
  (type: string, { spec }: PodScope) => type !== "Unmasked" || spec.hostUsers === false,
);

export const SECURITY_CONTEXT: Check = rules(
  "core ValidateSecurityContext",
  [["runAsUser", "runAsGroup"], ID],
  ["procMount", oneOf("Default", "Unmasked"), UNMASKED],
  ["seccompProfile", seccompProfile],
  escalation,
  ["windowsOptions", WINDOWS_OPTIONS],
  ["appArmorProfile", validateAppArmorProfile],
);

const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

/** What the kernel keeps for each network and each IPC namespace; sysctl `GetNamespace`. */
const OF_NETWORK = /^net\./, OF_IPC = /^(kernel\.(msg|shm|sem$)|fs\.mqueue\.)/;

const ofNamespace = (pattern: RegExp, shared: string) =>
  must(
    `may not be specified when '${shared}' is true`,
    (name: string, { spec }: PodScope) => !spec[shared] || !pattern.test(name.replaceAll("/", ".")),
  );

const SHOWN_SYSCTL = SYSCTL.source.replaceAll("[./]", "[\\./]");
const SYSCTL_OF_POD = rules("core validateSysctls", [
  "name",
  REQUIRED,
  must(
    `must have at most 253 characters and match regex ${SHOWN_SYSCTL}`,
    (name: string) => name.length <= 253 && SYSCTL.test(name),
  ),
  ofNamespace(OF_NETWORK, "hostNetwork"),
  ofNamespace(OF_IPC, "hostIPC"),
]);

export const POD_SECURITY_CONTEXT: Check = rules(
  "core validatePodSpecSecurityContext",
  [["fsGroup", "runAsUser", "runAsGroup"], ID],
  ["supplementalGroups", each(ID)],
  (_context, at, { spec }: PodScope) =>
    spec.shareProcessNamespace && spec.hostPID &&
    invalidValue(`${at}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled"),
  ["sysctls", eachUnique("name", SYSCTL_OF_POD)],
  ["fsGroupChangePolicy", oneOf("Always", "OnRootMismatch")],
  ["seccompProfile", seccompProfile],
  ["windowsOptions", WINDOWS_OPTIONS],
  ["appArmorProfile", validateAppArmorProfile],
  ["supplementalGroupsPolicy", oneOf("Merge", "Strict")],
  ["seLinuxChangePolicy", oneOf("MountOption", "Recursive")],
);

/** Returns what Kubernetes prints of a struct of its own: Go's names, and every field. */
function struct(value: Json, name: string): unknown {
  return asStruct(value, CORE_TYPES.struct(name));
}
