import { isIP } from "node:net";
import type { Json } from "../../resource_kind.ts";
import { between, each, ID, must, named, oneOf, repeatedBy, REQUIRED, rules } from "./check.ts";
import { validateContainers } from "./container.ts";
import { duplicate, eachInvalid, type Findings, forbidden } from "./field_errors.ts";
import { labelErrors, qualifiedNameErrors, subdomainErrors } from "./names.ts";
import { validateAnnotations, validateLabels } from "./object_meta.ts";
import { validateVolumes } from "./volumes.ts";

const MAX_INT32 = 2 ** 31 - 1;

/** Returns the errors of a Pod template that stands at `path`: `spec.template`. Core `ValidatePodTemplateSpec`. */
export function validatePodTemplate(template: Json, path: string): Findings {
  return [
    validateLabels(template.metadata?.labels, `${path}.labels`),
    validateAnnotations(template.metadata?.annotations, `${path}.annotations`),
    validatePodSpec(template.spec, `${path}.spec`),
    template.spec.ephemeralContainers?.length &&
    forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"),
  ];
}

/** Returns the errors of the fields that the runtimes and controllers of this program act on. */
export function validatePodSpec(spec: Json, path: string): Findings {
  const { errors, valid } = validateVolumes(spec.volumes ?? [], `${path}.volumes`);
  return [errors, validateContainers(spec, path, valid), POD_SPEC(spec, path)];
}

function schedulingGates(gates: Json[], at: string): Findings {
  const repeated = repeatedBy(gates, "name");
  return gates.map((gate, index) => {
    const { name = "" } = gate, place = `${at}[${index}]`;
    return [eachInvalid(place, name, qualifiedNameErrors(name)), repeated.has(gate) && duplicate(place, name)];
  });
}

const HOST_ALIAS = rules("core ValidateHostAliases", [
  "ip",
  REQUIRED,
  must("must be an IP address", (ip: string) => isIP(ip) !== 0),
]);

const POD_SECURITY_CONTEXT = rules(
  "core validatePodSpecSecurityContext",
  [["fsGroup", "runAsUser", "runAsGroup"], ID],
  ["supplementalGroups", each(ID)],
);

const POD_SPEC = rules(
  "core ValidatePodSpec",
  ["restartPolicy", REQUIRED, oneOf("Always", "OnFailure", "Never")],
  ["securityContext", POD_SECURITY_CONTEXT],
  ["schedulingGates", schedulingGates],
  [["serviceAccountName", "nodeName"], named(subdomainErrors)],
  ["activeDeadlineSeconds", between(1, MAX_INT32)],
  ["hostname", named(labelErrors)],
  ["hostAliases", each(HOST_ALIAS)],
);
