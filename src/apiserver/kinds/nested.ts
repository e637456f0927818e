/**
 * Values in lists in lists, as they are put together where there may be none: `isEmpty && required(at)`. What is false
 * to a condition is no value.
 */
export type Nested<T> = T | false | "" | 0 | null | undefined | readonly Nested<T>[];

/** Returns the values, in their order. */
export function flattened<T>(nested: Nested<T>, into: T[] = []): T[] {
  if (Array.isArray(nested)) { for (const one of nested) flattened(one, into); }
  else if (nested) into.push(nested as T);
  return into;
}
