import { badRequest } from "../refusal.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { unsupportedMediaType } from "./read_body.ts";

export interface ReadPatch {
  apply(old: Json): Json;
}

export function patchWith(type: string, body: Uint8Array, _kind: ResourceKind): ReadPatch {
  const patch = JSON.parse(new TextDecoder().decode(body));
  switch (type) {
    case "application/merge-patch+json":
    case "application/strategic-merge-patch+json":
      if (typeof patch !== "object" || patch === null) throw badRequest("a merge patch must be an object");
      return { apply: (old) => merge(old, patch) as Json };
    default:
      throw unsupportedMediaType(["application/merge-patch+json"]);
  }
}

function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const out: Json = typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = merge(out[key], value);
  }
  return out;
}
