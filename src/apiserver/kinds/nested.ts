/**
 * Values in nested lists, some of them the results of conditions: `isEmpty && required(at)`. A falsy value stands for
 * none.
 */
export type Nested<T> = T | false | "" | 0 | null | undefined | readonly Nested<T>[];

/** Adds the values to `into`, in their order, and returns it. */
export function flattened<T>(nested: Nested<T>, into: T[] = []): T[] {
  if (Array.isArray(nested)) { for (const one of nested) flattened(one, into); }
  else if (nested) into.push(nested as T);
  return into;
}
