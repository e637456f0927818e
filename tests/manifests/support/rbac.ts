import type { PolicyRule, RoleRef, Subject } from "kubernetes-types/rbac/v1";
import type { ResourceRequest } from "../../../src/apiserver/http/resource_request.ts";
import type { KubeManifest } from "../../../src/manifests/objects.ts";
import { identityOf } from "./kustomize.ts";

/** The least that a rule can grant, and where: `Role/a/b: get,leases.coordination.k8s.io/x`. */
export interface Grant {
  readonly role: string;
  /** Absent: everywhere. */
  readonly namespace?: string | undefined;
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `cronjobs/status`. */
  readonly resource: string;
  /** Absent: whatever its name. */
  readonly name?: string | undefined;
}

type Role = KubeManifest & { rules: PolicyRule[] };
type Binding = KubeManifest & { roleRef: RoleRef; subjects: Subject[] };

/** What manifests allow a user, by the rules of Kubernetes' RBAC. */
export class Permissions {
  readonly #grants = new Map<string, Grant[]>();

  /** @param objects whose roles and bindings count; wildcards are refused, as nothing of ours may need one */
  constructor(objects: readonly KubeManifest[]) {
    const roles = new Map(objects.filter(isRole).map((role) => [identityOf(role), role]));
    for (const { kind, metadata: { namespace }, roleRef, subjects } of objects.filter(isBinding)) {
      const inNamespace = kind === "RoleBinding" ? namespace : undefined;
      const path = roleRef.kind === "Role" ? `Role/${namespace}/${roleRef.name}` : `ClusterRole/${roleRef.name}`;
      const role = roles.get(path);
      if (!role) throw new Error(`A binding names ${path}, which is nowhere`);
      for (const subject of subjects) {
        const user = userOf(subject);
        const known = this.#grants.get(user) ?? [];
        this.#grants.set(user, [...known, ...role.rules.flatMap((rule) => grantsOf(rule, path, inNamespace))]);
      }
    }
  }

  grantsOf(user: string): readonly Grant[] {
    return this.#grants.get(user) ?? [];
  }

  /** Those that allow a request; none: it is forbidden. */
  allowing(user: string, request: ResourceRequest): Grant[] {
    return this.grantsOf(user).filter((grant) => allows(grant, request));
  }
}

export function allows(grant: Grant, { verb, group, plural, subresource, namespace, name }: ResourceRequest): boolean {
  return grant.verb === verb && grant.group === group &&
    grant.resource === (subresource ? `${plural}/${subresource}` : plural) &&
    (grant.namespace === undefined || grant.namespace === namespace) &&
    (grant.name === undefined || grant.name === name);
}

function isRole(object: KubeManifest): object is Role {
  return object.kind === "Role" || object.kind === "ClusterRole";
}

function isBinding(object: KubeManifest): object is Binding {
  return object.kind === "RoleBinding" || object.kind === "ClusterRoleBinding";
}

function userOf({ kind, namespace, name }: Subject): string {
  if (kind !== "ServiceAccount") throw new Error(`A binding's subject is a ${kind}`);
  return `system:serviceaccount:${namespace}:${name}`;
}

function grantsOf(
  { apiGroups, resources, verbs, resourceNames }: PolicyRule,
  role: string,
  namespace?: string,
): Grant[] {
  return (apiGroups ?? []).flatMap((group) =>
    (resources ?? []).flatMap((resource) =>
      verbs.flatMap((verb) =>
        (resourceNames ?? [undefined]).map((name) => {
          if ([group, resource, verb, name].includes("*")) throw new Error(`${role} has a wildcard`);
          return { role, namespace, verb, group, resource, name };
        })
      )
    )
  );
}
