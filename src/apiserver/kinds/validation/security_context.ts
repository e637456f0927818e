import type { Json } from "../../resource_kind.ts";
import { type Check, each, ID, oneOf, rules } from "./check.ts";
import { type Findings, invalidState } from "./field_errors.ts";

/** Without escalation, a container has nothing that comes to the same. */
function escalation({ allowPrivilegeEscalation, privileged, capabilities }: Json, at: string): Findings {
  const conflict = (what: string) => invalidState(at, `allowPrivilegeEscalation cannot be false beside ${what}`);
  return allowPrivilegeEscalation === false && [
    privileged && conflict("privileged: true"),
    (capabilities?.add ?? []).includes("CAP_SYS_ADMIN") && conflict("the capability CAP_SYS_ADMIN"),
  ];
}

export const SECURITY_CONTEXT: Check = rules(
  "core ValidateSecurityContext",
  [["runAsUser", "runAsGroup"], ID],
  ["procMount", oneOf("Default", "Unmasked")],
  escalation,
);

export const POD_SECURITY_CONTEXT: Check = rules(
  "core validatePodSpecSecurityContext",
  [["fsGroup", "runAsUser", "runAsGroup"], ID],
  ["supplementalGroups", each(ID)],
);
