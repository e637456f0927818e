import { ApiError } from "../api_error.ts";
import type { Layer } from "./call.ts";
import type { TransportRequest } from "./request.ts";

/**
 * Sends nothing that is known to be forbidden: after a request was refused for lack of a right, later ones of its kind are
 * refused here. While the first of a kind is under way, others of it wait for its answer.
 */
export function refusedOnce(): Layer {
  const kinds = new Map<string, Promise<ApiError | undefined>>();
  return (next) => async (call) => {
    const kind = kindOf(call.request);
    const before = kinds.get(kind);
    // Without a wait where there is none: requests of one turn must see each other.
    const refusal = before && await before;
    if (refusal) throw refusal;
    const answer = next(call);
    const refused = answer.then(() => undefined, refusalOf);
    // The answer to a watch may begin with its first event.
    if (before || call.request.verb === "watch") refused.then((refusal) => refusal && kinds.set(kind, refused));
    else kinds.set(kind, refused);
    return await answer;
  };
}

/** Controllers make up the names of Jobs and Pods, so no role names single ones. */
const NAMELESS = /(?<=\/namespaces\/[^/]+\/(?:jobs|pods)\/)[^/]+/;

function kindOf({ verb, path }: TransportRequest): string {
  return `${verb} ${path.replace(/\?.*$/s, "").replace(NAMELESS, "*")}`;
}

/** How an API server says that a user lacks a right. A quota, for one, forbids too, and another object may pass it. */
const LACKS_RIGHT = /\bcannot \S+ (resource|path)\b/;

function refusalOf(error: unknown): ApiError | undefined {
  return error instanceof ApiError && error.isForbidden && LACKS_RIGHT.test(error.message) ? error : undefined;
}
