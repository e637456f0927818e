import type { ResourceRequest } from "../../../src/apiserver/http/resource_request.ts";
import type { Access } from "../../../src/kube/access.ts";
import { allows, type Grant } from "./rbac.ts";

/** How grants and requests fit: both lists are empty when they do. */
export interface Verdict {
  /** Asked for, and not allowed. */
  readonly denied: string[];
  /** Allowed, and never asked for. */
  readonly unused: string[];
}

/** @param access has the grants that are for an admission plugin: they count as used when what it checks was asked for */
export function verdictOn(
  grants: readonly Grant[],
  asked: readonly ResourceRequest[],
  access: readonly Access[],
): Verdict {
  const isUsed = (grant: Grant) => asked.some((request) => allows(grant, request)) || isForAdmission(grant);
  const isForAdmission = ({ group, resource, verb }: Grant) => {
    const reason = access.find(({ admissionOf, resource: { group: ofGroup, plural }, subresource, verbs }) =>
      admissionOf && ofGroup === group && `${plural}/${subresource}` === resource && verbs.some((one) => one === verb)
    )?.admissionOf;
    return reason !== undefined &&
      asked.some(({ verb, group, plural, subresource }) =>
        !subresource && verb === reason.verb && group === reason.resource.group && plural === reason.resource.plural
      );
  };
  const denied = asked.filter((request) => !grants.some((grant) => allows(grant, request)));
  return {
    denied: [...new Set(denied.map(describe))],
    unused: grants.filter((grant) => !isUsed(grant)).map(({ role, verb, group, resource, name }) =>
      `${role}: ${verb} ${resource}${group && `.${group}`}${name ? ` ${name}` : ""}`
    ),
  };
}

function describe({ verb, group, plural, subresource, namespace, name }: ResourceRequest): string {
  const resource = subresource ? `${plural}/${subresource}` : plural;
  return [verb, resource + (group && `.${group}`), name, namespace && `in ${namespace}`].filter(Boolean).join(" ");
}
