import type { ApiRequest } from "../http/exchange.ts";
import { badRequest } from "../refusals.ts";
import { AUTHENTICATED_GROUP, type User } from "./authentication.ts";
import { mayDoEverything, mayNot } from "./authorization.ts";

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):[^:]+$/;

/**
 * Returns the user whose rights a request is to have, where its headers name one (`kubectl --as`); undefined where they
 * don't.
 *
 * @throws {Refusal} 403 for who may not act as others, 400 for groups without a user
 */
export function impersonatedUser({ user, header }: Pick<ApiRequest, "user" | "header">): User | undefined {
  const name = header("impersonate-user");
  const uid = header("impersonate-uid");
  const groups = (header("impersonate-group") ?? "").split(",").map((group) => group.trim()).filter(Boolean);
  if (!name && !uid && groups.length === 0) return undefined;
  if (!name) throw badRequest("requested groups or a UID without impersonating a user");
  const account = SERVICE_ACCOUNT.exec(name);
  const plural = account ? "serviceaccounts" : "users";
  if (!mayDoEverything(user)) throw mayNot(user, { verb: "impersonate", group: "", plural, name });
  const own = account ? ["system:serviceaccounts", `system:serviceaccounts:${account[1]}`] : [];
  return {
    name,
    ...(uid ? { uid } : {}),
    groups: [...new Set([...groups.length > 0 ? groups : own, AUTHENTICATED_GROUP])],
  };
}

/** Returns the request as it is to be handled: with the rights of whom it impersonates. */
export function withImpersonation(request: ApiRequest): ApiRequest {
  const user = impersonatedUser(request);
  return user ? { ...request, user } : request;
}
