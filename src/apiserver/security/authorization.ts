import { qualifiedName } from "../kind_names.ts";
import { details, forbidden, type Refusal } from "../refusals.ts";
import type { ResourceRequest } from "../http/resource_request.ts";
import { ANONYMOUS, AUTHENTICATED_GROUP, MASTERS_GROUP, type User } from "./authentication.ts";

/** As Kubernetes' role system:public-info-viewer lets everyone. */
export const OPEN_PATHS: readonly string[] = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

/** Whether a user who may not do everything may do this. */
export type MayAlso = (user: User, request: ResourceRequest) => boolean;

/**
 * The whole policy, unless the program that starts the server adds to it: members of `system:masters` may do everything;
 * anyone may see health and version, and known users what there is.
 */
export function mayDoEverything(user: User): boolean {
  return user.groups.includes(MASTERS_GROUP);
}

/** @throws {Refusal} 403 */
export function authorizePath(user: User, method: string, path: string): void {
  if (mayDoEverything(user)) return;
  const isRead = method === "GET";
  if (isRead && OPEN_PATHS.includes(path)) return;
  // As Kubernetes' role system:discovery lets every known user.
  if (isRead && user.groups.includes(AUTHENTICATED_GROUP) && /^\/(api|apis|openapi)(\/|$)/.test(path)) return;
  throw forbidden(
    `forbidden: User ${JSON.stringify(user.name)} cannot ${method.toLowerCase()} path ${JSON.stringify(path)}`,
  );
}

/**
 * Anyone who is known may ask what they may do, as Kubernetes' default roles allow.
 *
 * @throws {Refusal} 403
 */
export function authorizeResource(user: User, request: ResourceRequest, mayAlso?: MayAlso): void {
  if (mayDoEverything(user)) return;
  if (request.plural.startsWith("selfsubject") && user !== ANONYMOUS) return;
  if (!mayAlso?.(user, request)) throw mayNot(user, request);
}

/** Returns what a user is answered who may not do this. */
export function mayNot(user: User, { verb, ...path }: ResourceRequest): Refusal {
  const resource = path.subresource ? `${path.plural}/${path.subresource}` : path.plural;
  const namespace = path.namespace ?? (path.plural === "namespaces" && path.group === "" ? path.name : undefined);
  const scope = namespace ? `in the namespace ${JSON.stringify(namespace)}` : "at the cluster scope";
  const named = path.name ? `${qualifiedName(path)} ${JSON.stringify(path.name)}` : qualifiedName(path);
  return forbidden(
    `${named} is forbidden: User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(resource)} ` +
      `in API group ${JSON.stringify(path.group)} ${scope}`,
    details(path, path.name),
  );
}
