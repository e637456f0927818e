import type { FieldError, Json } from "../../resource_kind.ts";
import { firstBy, named, rules } from "./check.ts";
import { eachInvalid, type Findings, forbidden, found } from "./field_errors.ts";
import { qualifiedNameErrors, subdomainErrors } from "./names.ts";

/** The lists of statuses, each with the list of its containers. */
const STATUSES = { containerStatuses: "containers", initContainerStatuses: "initContainers" };

const NODE_NAME = rules("core ValidatePodSpec", ["nodeName", named(subdomainErrors)]);

/** Returns the errors of a write to the subresource `status`. Core `ValidatePodStatusUpdate`. */
export function validatePodStatusUpdate(pod: Json, old: Json): FieldError[] {
  return found(
    (pod.status?.conditions ?? []).map(conditionType),
    // The kubelet takes the Pod by such a write.
    NODE_NAME(pod.spec, "spec"),
    Object.entries(STATUSES).map(([list, containers]) =>
      revivals(
        pod.status?.[list] ?? [],
        old.status?.[list] ?? [],
        old.spec[containers] ?? [],
        `status.${list}`,
        old.spec,
      )
    ),
  );
}

/** Patches find a condition by its type. */
function conditionType({ type = "" }: Json, index: number): Findings {
  return eachInvalid(`status.conditions[${index}].Type`, type, qualifiedNameErrors(type));
}

/** A container that has ended and is not restarted cannot run again. */
function revivals(next: Json[], old: Json[], containers: Json[], at: string, spec: Json): Findings {
  const statuses = firstBy(next, "name"), byName = firstBy(containers, "name");
  return old.map(({ name, state }: Json, index: number) => {
    const now = statuses.get(name), ended = state?.terminated;
    return ended && now && !now.state?.terminated && !isRestarted(byName.get(name), ended, spec) &&
      forbidden(`${at}[${index}].state`, "may not be transitioned to non-terminated state");
  });
}

/** Returns whether a container that ended so is started again; core `ContainerShouldRestart`. */
function isRestarted(container: Json | undefined, { exitCode }: Json, spec: Json): boolean {
  const policy = container?.restartPolicy ?? spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
