import { makeKey, type Patch } from "./object.ts";
import type { Resource } from "./resource.ts";

/** The headers of a request whose body is JSON. */
export const JSON_BODY = { "content-type": "application/json" };

/** The media type of each kind of patch. */
export const PATCH_TYPES: Readonly<Record<Patch["type"], string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** Returns what names a request in lanes, metrics and errors: `action` is such as `update jobs/status default/report`. */
export function described(
  verb: string,
  resource: Resource,
  name: { name?: string; namespace?: string | undefined },
  subresource?: string,
): { verb: string; resource: string; namespace: string | undefined; action: string } {
  const what = subresource ? `${resource.plural}/${subresource}` : resource.plural;
  const which = name.name === undefined
    ? name.namespace && resource.namespaced ? ` in ${name.namespace}` : ""
    : ` ${makeKey(resource.namespaced ? name.namespace : undefined, name.name)}`;
  return { verb, resource: what, namespace: name.namespace, action: `${verb} ${what}${which}` };
}

/** Returns the query of a path, without the parameters that are undefined. */
export function query(parameters: Record<string, unknown>): string {
  let text = "";
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(String(value))}`;
  }
  return text;
}
