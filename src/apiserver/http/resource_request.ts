import { exactName } from "../reading/field_selector.ts";
import { isTrue } from "../reading/list_options.ts";
import type { ApiRequest } from "./exchange.ts";
import type { ResourcePath } from "./request_path.ts";

/** What is asked for: what a user may do or not, and what an audit records. */
export interface ResourceRequest extends Pick<ResourcePath, "group" | "plural" | "subresource" | "namespace"> {
  /** Kubernetes' own: `list`, `deletecollection`. */
  readonly verb: string;
  /** Of a list or watch: the only one that its field selector lets through. */
  readonly name?: string;
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
function verbOf({ name, watch }: ResourcePath, { method, query }: ApiRequest): string {
  switch (method) {
    case "GET":
      if (watch) return "watch";
      if (name !== undefined) return "get";
      return isTrue(query.get("watch")) ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === undefined ? "deletecollection" : "delete";
    default:
      return method.toLowerCase();
  }
}
