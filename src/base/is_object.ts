/** Returns whether a value is a JSON object; an array is none. */
// deno-lint-ignore no-explicit-any
export function isObject(value: unknown): value is Record<string, any> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
