import { assert } from "@std/assert";

/** How much larger the larger of two sizes is, and how many times the time of the smaller it may take: 64 times were the square. */
const LARGER = 8, MOST = 30;

/** A busy machine may slow one measurement down, by its caches or by a turn of the garbage collector. */
const TRIES = 4;

/**
 * Does work of some size and of one eight times that, and holds that the time grows with the size rather than with its square.
 *
 * @param prepare returns the work; its own time does not count
 * @return what the work of the larger size came to
 */
export function inProportion<T>(size: number, prepare: (size: number) => () => T): T {
  const tooLong: string[] = [];
  // The first time is that of code which is not compiled yet, and would let the larger size take as many times as long.
  prepare(size)();
  for (;;) {
    const [small, large] = [prepare(size), prepare(size * LARGER)];
    const [shortMs] = timed(small), [longMs, result] = timed(large);
    if (longMs < MOST * Math.max(shortMs, 1)) return result;
    tooLong.push(`${shortMs} ms for ${size}, ${longMs} ms for ${LARGER} times as many`);
    assert(tooLong.length < TRIES, tooLong.join("; "));
  }
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
