import type { ApiRequest } from "../http/exchange.ts";
import { badRequest } from "../refusals.ts";
import { AUTHENTICATED_GROUP } from "./authentication.ts";
import { mayDoEverything, mayNot } from "./authorization.ts";

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):[^:]+$/;

/**
 * Returns the request as it is to be handled: with the rights of the user whom its headers name (`kubectl --as`), if they
 * name one. To pass over the headers would answer with the administrator's rights what was asked with fewer.
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

function groupsOf(name: string): string[] {
  const [, namespace] = SERVICE_ACCOUNT.exec(name) ?? [];
  return namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
