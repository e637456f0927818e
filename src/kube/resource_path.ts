import { ApiError } from "./api_error.ts";
import type { Resource } from "./resource.ts";

/** Kubernetes' rules for names in paths (`IsValidPathSegmentName`), each with what it says of one that breaks it. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/^$/, "may not be empty"],
  [/^\.$/, "may not be '.'"],
  [/^\.\.$/, "may not be '..'"],
  [/\//, "may not contain '/'"],
  [/%/, "may not contain '%'"],
];

/**
 * Returns a name as it stands in a path. What an API server could take for more than one segment, or a URL for a step
 * upwards, is refused before it is sent: escaping does not keep it from being read so.
 *
 * @throws {ApiError}
 */
function pathSegment(what: "namespace" | "name", text = ""): string {
  const broken = RULES.find(([pattern]) => pattern.test(text));
  if (!broken) return encodeURIComponent(text);
  throw new ApiError(`Cannot use the ${what} ${JSON.stringify(text)}: it ${broken[1]}`, {
    code: 400,
    reason: "BadRequest",
  });
}

/**
 * Returns the path of all objects of a resource, in a namespace or everywhere: `/apis/batch/v1/namespaces/default/jobs`.
 *
 * @throws {ApiError} for a name that would lead elsewhere
 */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group ? `/apis/${resource.group}/${resource.version}` : `/api/${resource.version}`;
  const inNamespace = resource.namespaced && namespace ? `/namespaces/${pathSegment("namespace", namespace)}` : "";
  return `${root}${inNamespace}/${resource.plural}`;
}

/**
 * Returns the path of one object: `/apis/batch/v1/namespaces/default/jobs/report`. Without a name it would be that of all of
 * them, which a deletion would take.
 *
 * @throws {ApiError} for a name that is missing or would lead elsewhere
 */
export function pathOf(
  resource: Resource,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  subresource?: string,
): string {
  const object = pathSegment("name", name);
  if (resource.namespaced) pathSegment("namespace", namespace);
  return `${collectionPath(resource, namespace)}/${object}${subresource ? `/${subresource}` : ""}`;
}
