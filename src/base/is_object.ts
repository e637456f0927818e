import type { Json } from "./resource_kind.ts";

/** Returns whether it is a JSON object; a list is none. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
