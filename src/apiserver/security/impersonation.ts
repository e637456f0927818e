import type { ApiRequest } from "../http/exchange.ts";
import { badRequest } from "../refusals.ts";
import { AUTHENTICATED_GROUP } from "./authentication.ts";
import { mayDoEverything, mayNot } from "./authorization.ts";

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):[^:]+$/;

/**
 * Returns the request with the rights of the user whom its headers name (`kubectl --as`), else as it is. A server that
 * ignored the headers would answer with the administrator's rights a request that was made with fewer.
 *
 * @throws {Refusal} 403 unless the user may do everything, 400 for groups without a user
 */
export function withImpersonation(request: ApiRequest): ApiRequest {
  const { header, user } = request;
  const name = header("impersonate-user") ?? "", uid = header("impersonate-uid") ?? "";
  const groups = (header("impersonate-group") ?? "").split(",").map((group) => group.trim()).filter(Boolean);
  if (!name && !uid && groups.length === 0) return request;
  if (!name) throw badRequest("a request with Impersonate-Uid or Impersonate-Group must have Impersonate-User");
  if (!mayDoEverything(user)) throw mayNot(user, { verb: "impersonate", group: "", plural: "users", name });
  const impersonated = groups.length > 0 ? groups : groupsOf(name);
  return {
    ...request,
    user: { name, ...uid && { uid }, groups: [...new Set([...impersonated, AUTHENTICATED_GROUP])] },
  };
}

/** Returns the groups of a service account; none for another user. */
function groupsOf(name: string): string[] {
  const [, namespace] = SERVICE_ACCOUNT.exec(name) ?? [];
  return namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
