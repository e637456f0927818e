import type { FieldError, Json } from "../../resource_kind.ts";
import { KUBERNETES_TYPES } from "../../schema/kubernetes_types.ts";
import { type Check, DESCENDING_PATH, each, ID, must, oneOf, REQUIRED, rules, unique } from "./check.ts";
import { invalidValue, notSupported, required, tooLong } from "./field_errors.ts";
import { asStruct } from "./spec_diff.ts";

const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];

/** Core `validateSeccompProfileField`. */
function seccompProfile(profile: Json, at: string): FieldError[] {
  const { type, localhostProfile: local } = profile, field = `${at}.localhostProfile`;
  return [
    ...(!type
      ? [required(`${at}.type`, "type is required when seccompProfile is set")]
      : oneOf(...PROFILES)(type, `${at}.type`, undefined)),
    ...(type === "Localhost"
      ? local === undefined
        ? [required(field, "must be set when seccomp type is Localhost")]
        : DESCENDING_PATH(local, field, undefined)
      : local === undefined
      ? []
      : [invalidValue(field, struct(profile, "SeccompProfile"), "can only be set when seccomp type is Localhost")]),
  ];
}

const MAX_PROFILE_BYTES = 4095;

/** Core `ValidateAppArmorProfileField`. */
function appArmorProfile({ type, localhostProfile: local }: Json, at: string): FieldError[] {
  const field = `${at}.localhostProfile`, missing = "must be set when AppArmor type is Localhost";
  if (!type) return [required(`${at}.type`, "type is required when appArmorProfile is set")];
  if (!PROFILES.includes(type)) return [notSupported(`${at}.type`, type, PROFILES)];
  if (type !== "Localhost") {
    return local === undefined ? [] : [invalidValue(field, local, "can only be set when AppArmor type is Localhost")];
  }
  if (local === undefined) return [required(field, missing)];
  return [
    ...(local.trim() !== local
      ? [invalidValue(field, local, "must not be padded with whitespace")]
      : local === ""
      ? [required(field, missing)]
      : []),
    ...(local.length > MAX_PROFILE_BYTES ? [tooLong(field, MAX_PROFILE_BYTES)] : []),
  ];
}

/** Without escalation, nothing that comes to the same. */
function escalation(context: Json, at: string): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const conflict = (what: string) =>
    invalidValue(
      at,
      struct(context, "SecurityContext"),
      `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
    );
  return [
    ...(context.privileged ? [conflict("`privileged` to true")] : []),
    ...(context.capabilities?.add ?? []).filter((name: string) => name === "CAP_SYS_ADMIN")
      .map(() => conflict("`capabilities.Add` CAP_SYS_ADMIN")),
  ];
}

export const SECURITY_CONTEXT: Check = rules(
  "core ValidateSecurityContext",
  ["runAsUser", ID],
  ["runAsGroup", ID],
  ["procMount", oneOf("Default", "Unmasked")],
  ["", escalation],
  ["seccompProfile", seccompProfile],
  ["appArmorProfile", appArmorProfile],
);

const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

/** Core `validateSysctls`. */
const SYSCTLS = each(rules("core validateSysctls", [
  "name",
  REQUIRED,
  must(
    `must have at most 253 characters and match regex ${
      String(SYSCTL).slice(1, -1).replace("[./]", "[\\./]").replace(/^\^(.*)\$$/, "^$1$$")
    }`,
    (name: string) => name.length <= 253 && SYSCTL.test(name),
  ),
]));

export const POD_SECURITY_CONTEXT: Check = rules(
  "core validatePodSpecSecurityContext",
  ["fsGroup", ID],
  ["runAsUser", ID],
  ["runAsGroup", ID],
  ["supplementalGroups", each(ID)],
  ["sysctls", SYSCTLS, unique("name")],
  ["fsGroupChangePolicy", oneOf("Always", "OnRootMismatch")],
  ["seccompProfile", seccompProfile],
  ["appArmorProfile", appArmorProfile],
  ["supplementalGroupsPolicy", oneOf("Merge", "Strict")],
  ["seLinuxChangePolicy", oneOf("MountOption", "Recursive")],
);

/** What Kubernetes prints of a struct of its own: Go's names, and every field. */
function struct(value: Json, name: string): unknown {
  return asStruct(value, KUBERNETES_TYPES.struct(`core.${name}`));
}
