import { assert } from "@std/assert";

/** Does work whose time would be many times the limit if it grew with the square of what there is to do. */
export function withinSeconds<T>(most: number, work: () => T): T {
  const start = performance.now();
  const result = work();
  const seconds = (performance.now() - start) / 1000;
  assert(seconds < most, `took ${seconds} s`);
  return result;
}
