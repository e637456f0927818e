import { isObject } from "../base/is_object.ts";

/** Returns a value in which each object has its keys in order, as Go writes maps: as JSON, equal values are one text. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortedKeys(value[key])]));
}

/** Returns the indexes of items that are there before. */
export function repeatedIndexes(items: readonly unknown[]): number[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const before = seen.size;
    return seen.add(JSON.stringify(sortedKeys(item ?? null))).size === before ? [index] : [];
  });
}
