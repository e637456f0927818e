import { assert } from "@std/assert";

/** Does work whose time would be many times the limit if it grew with the square of what there is to do. */
export function withinSeconds<T>(most: number, work: () => T): T {
  const start = ownTimeMs();
  const result = work();
  const seconds = (ownTimeMs() - start) / 1000;
  assert(seconds < most, `took ${seconds} s`);
  return result;
}

/** How much larger the larger of two sizes is, and how many times the time of the smaller it may take: 64 times were the square. */
const LARGER = 8, MOST = 30;

/**
 * Does work of some size and of one eight times that, and holds that the time grows with the size rather than with its square.
 *
 * @param prepare returns the work; its own time does not count
 */
export function inProportion<T>(size: number, prepare: (size: number) => () => T): T {
  const [small, large] = [prepare(size), prepare(size * LARGER)];
  const [shortMs] = timed(small), [longMs, result] = timed(large);
  assert(longMs < MOST * Math.max(shortMs, 1), `${shortMs} ms for ${size}, ${longMs} ms for ${LARGER} times as many`);
  return result;
}

function timed<T>(work: () => T): [ms: number, result: T] {
  const start = ownTimeMs();
  const result = work();
  return [ownTimeMs() - start, result];
}

/** The time for which this thread has had a processor, on Linux: what others do at the same time does not count. */
function ownTimeMs(): number {
  if (Deno.build.os !== "linux") return performance.now();
  return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]) / 1e6;
}
