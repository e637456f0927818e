import { isTrue } from "../reading/list_options.ts";
import type { ApiRequest } from "./exchange.ts";
import type { ResourcePath } from "./request_path.ts";

/** Kubernetes' word for what a request does. */
export function verbOf({ name, watch }: ResourcePath, { method, query }: ApiRequest): string {
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
