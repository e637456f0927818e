import { ownValue } from "../../base/own_value.ts";
import { exactName } from "../reading/field_selector.ts";
import { isTrue } from "../reading/list_options.ts";
import type { ApiRequest } from "./exchange.ts";
import type { ResourcePath } from "./request_path.ts";

/** A request as rights judge it and an audit records it. */
export interface ResourceRequest extends Pick<ResourcePath, "group" | "plural" | "subresource" | "namespace"> {
  /** Kubernetes' own: `list`, `deletecollection`. */
  readonly verb: string;
  /** Of a list or watch: the only one that its field selector lets through. */
  readonly name?: string | undefined;
}

/**
 * Returns what a request asks for in the words of RBAC. A list by an exact name counts as a request for that object.
 */
export function resourceRequestOf(path: ResourcePath, request: ApiRequest): ResourceRequest {
  const { group, plural, subresource, namespace, name } = path;
  const verb = verbOf(path, request);
  const selected = verb === "list" || verb === "watch"
    ? exactName(request.query.get("fieldSelector") ?? "")
    : undefined;
  return { verb, group, plural, subresource, namespace, name: name ?? selected };
}

/** Kubernetes' word for what a request does. */
function verbOf({ name }: ResourcePath, { method, query }: ApiRequest): string {
  if (method === "DELETE") return name === undefined ? "deletecollection" : "delete";
  if (method !== "GET" && method !== "HEAD") return ownValue(VERBS, method) ?? method.toLowerCase();
  if (name !== undefined) return "get";
  return isTrue(query.get("watch")) ? "watch" : "list";
}

const VERBS: Readonly<Record<string, string>> = { POST: "create", PUT: "update" };
