import type { Json } from "../resource_kind.ts";
import { isDeepStrictEqual } from "node:util";

/** A new object is the first generation of itself. */
export function startGeneration(object: Json): void {
  object.metadata.generation = 1;
}

/** One generation more if anything besides metadata and status has changed. */
export function advanceGeneration(object: Json, old: Json): void {
  const changed = !isDeepStrictEqual(desired(object), desired(old));
  object.metadata.generation = (old.metadata.generation ?? 0) + (changed ? 1 : 0);
  if (object.metadata.generation === 0) delete object.metadata.generation;
}

function desired(object: Json): Json {
  const { metadata: _metadata, status: _status, ...rest } = object;
  return rest;
}
