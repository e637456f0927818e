import type { ApiRequest } from "../http/exchange.ts";
import type { ResourcePath } from "../http/request_path.ts";
import { resourceRequestOf } from "../http/resource_request.ts";
import { badRequest, type Refusal } from "../refusals.ts";
import { AUTHENTICATED_GROUP, type User } from "./authentication.ts";
import { mayDoEverything, mayNot, mayNotPath } from "./authorization.ts";

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const NODE = /^system:node:(.+)$/;

/** Whom a request is to be of, as its headers say it. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
}

/**
 * Returns the request as it is to be handled: with the rights of whom it impersonates (`kubectl --as`), where its headers
 * name someone.
 *
 * @param path what it is about, where that is a resource
 * @throws {Refusal} 403 for who may not act as others, 400 for groups without a user
 */
export function withImpersonation(request: ApiRequest, path: ResourcePath | undefined): ApiRequest {
  const wanted = wantedUser(request);
  if (!wanted) return request;
  if (!mayDoEverything(request.user)) throw mayNotImpersonate(request, path, wanted);
  return { ...request, user: userOf(wanted) };
}

function wantedUser({ header }: ApiRequest): Wanted | undefined {
  const name = header("impersonate-user") ?? "";
  const uid = header("impersonate-uid") ?? "";
  const groups = (header("impersonate-group") ?? "").split(",").map((group) => group.trim()).filter(Boolean);
  if (name) return { name, uid, groups };
  if (!uid && groups.length === 0) return undefined;
  const list = groups.length > 0 ? `{${groups.map((group) => JSON.stringify(group)).join(", ")}}` : "(nil)";
  const shown = `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:[]string${list}, ` +
    "Extra:map[string][]string(nil)}";
  throw badRequest(`requested ${shown} without impersonating a user name`);
}

function userOf({ name, uid, groups }: Wanted): User {
  const [account, namespace] = SERVICE_ACCOUNT.exec(name) ?? [];
  const own = account
    ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
    : NODE.test(name)
    ? ["system:nodes"]
    : [];
  return {
    name,
    ...(uid ? { uid } : {}),
    groups: [...new Set([...groups.length > 0 ? groups : own, AUTHENTICATED_GROUP])],
  };
}

/** Kubernetes names the first right that would have been enough: to do this as such a user, else to be that user. */
function mayNotImpersonate(request: ApiRequest, path: ResourcePath | undefined, wanted: Wanted): Refusal {
  const { user, method } = request;
  const mode = modeOf(wanted);
  if (!mode) {
    const [, namespace, name = wanted.name] = SERVICE_ACCOUNT.exec(wanted.name) ?? [];
    const plural = namespace ? "serviceaccounts" : "users";
    return mayNot(user, { verb: "impersonate", group: "", plural, name, namespace });
  }
  const verb = (what: string) => `impersonate-on:${mode}:${what}`;
  if (!path) return mayNotPath(user, verb(method.toLowerCase()), request.path);
  const asked = resourceRequestOf(path, request);
  return mayNot(user, { ...asked, verb: verb(asked.verb) });
}

/** The kind of user that constrained impersonation knows; accounts and nodes are what they are, and take nothing else. */
function modeOf({ name, uid, groups }: Wanted): string | undefined {
  const kind = SERVICE_ACCOUNT.test(name) ? "serviceaccount" : NODE.test(name) ? "arbitrary-node" : "user-info";
  return kind === "user-info" || (!uid && groups.length === 0) ? kind : undefined;
}
