// What `jsr:@std/assert` offers, on `node:assert`, as far as our tests use it: with JSR in reach, deno.json's import map
// swaps one for the other.
import nodeAssert from "node:assert/strict";

export { AssertionError } from "node:assert/strict";

export function assert(condition: unknown, message = "Expected a truthy value"): asserts condition {
  nodeAssert.ok(condition, message);
}

export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.deepStrictEqual(actual, expected, message!);
}

export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.notDeepStrictEqual(actual, expected, message!);
}

export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  nodeAssert.strictEqual(actual, expected, message!);
}

export function assertGreater<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.ok(actual > expected, message ?? `Expected ${actual} > ${expected}`);
}

export function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.ok(actual >= expected, message ?? `Expected ${actual} >= ${expected}`);
}

export function assertLess<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.ok(actual < expected, message ?? `Expected ${actual} < ${expected}`);
}

export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  nodeAssert.ok(actual.includes(expected), message ?? `Expected to find ${JSON.stringify(expected)} in: ${actual}`);
}

export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  nodeAssert.match(actual, expected, message!);
}

type ErrorClass<E extends Error> = abstract new (...args: never[]) => E;

/** Runs `fn`, which must throw; gives the error back. */
export function assertThrows<E extends Error = Error>(fn: () => unknown, ErrorType?: ErrorClass<E>, includes = ""): E {
  try {
    fn();
  } catch (error) {
    return checked(error, ErrorType, includes);
  }
  nodeAssert.fail("Expected the function to throw");
}

/** Runs `fn`, whose promise must reject; gives the error back. */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorType?: ErrorClass<E>,
  includes = "",
): Promise<E> {
  try {
    await fn();
  } catch (error) {
    return checked(error, ErrorType, includes);
  }
  nodeAssert.fail("Expected the promise to reject");
}

function checked<E extends Error>(error: unknown, ErrorType: ErrorClass<E> | undefined, includes: string): E {
  if (ErrorType) nodeAssert.ok(error instanceof ErrorType, `Expected a ${ErrorType.name}, got ${error}`);
  nodeAssert.ok(error instanceof Error, `Expected an Error, got ${error}`);
  assertStringIncludes(error.message, includes);
  return error as E;
}

export function fail(message = "Failed"): never {
  nodeAssert.fail(message);
}
