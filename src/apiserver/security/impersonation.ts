import type { ApiRequest } from "../http/exchange.ts";
import { Refusal } from "../refusals.ts";
import { AUTHENTICATED_GROUP, type User } from "./authentication.ts";
import { mayDoEverything } from "./authorization.ts";

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):[^:]+$/;

/**
 * The user whose rights a request is to have, where its headers name one (`kubectl --as`); undefined where they don't.
 *
 * @throws {Refusal} 403 for who may not act as others, 400 for groups of nobody
 */
export function impersonatedUser({ user, header }: Impersonation): User | undefined {
  const name = header("impersonate-user");
  const uid = header("impersonate-uid");
  const groups = (header("impersonate-group") ?? "").split(",").map((group) => group.trim()).filter(Boolean);
  if (!name && !uid && groups.length === 0) return undefined;
  if (!name) throw new Refusal(400, "BadRequest", "requested groups or a UID without impersonating a user");
  const account = SERVICE_ACCOUNT.exec(name);
  if (!mayDoEverything(user)) throw forbidden(user, account ? "serviceaccounts" : "users", name);
  const own = account ? ["system:serviceaccounts", `system:serviceaccounts:${account[1]}`] : [];
  return {
    name,
    ...(uid ? { uid } : {}),
    groups: [...new Set([...groups.length > 0 ? groups : own, AUTHENTICATED_GROUP])],
  };
}

interface Impersonation {
  readonly user: User;
  header(name: string): string | undefined;
}

/** The request as it is to be handled: with the rights of whom it impersonates. */
export function withImpersonation(request: ApiRequest): ApiRequest {
  const header = (name: string) => request.header(name);
  const user = impersonatedUser({ user: request.user, header });
  if (!user) return request;
  const { method, path, query } = request;
  return { method, path, query, user, header, body: () => request.body() };
}

function forbidden(user: User, resource: string, name: string): Refusal {
  return new Refusal(
    403,
    "Forbidden",
    `${resource} ${JSON.stringify(name)} is forbidden: User ${JSON.stringify(user.name)} cannot impersonate resource ` +
      `${JSON.stringify(resource)} in API group "" at the cluster scope`,
    { name, kind: resource },
  );
}
