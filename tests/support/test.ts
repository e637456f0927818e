/**
 * Declares a test, with the sanitizers on: an operation or a resource that outlives the test fails it. (They are off by
 * default in Deno 2.9, and 2.7 knows no flag for them.) Names are sentences about the thing under test.
 */
export function test(
  name: string,
  fn: (context: Deno.TestContext) => void | Promise<void>,
  options: { sanitize?: boolean } = {},
): void {
  const sanitize = options.sanitize ?? true;
  Deno.test({ name, fn, sanitizeOps: sanitize, sanitizeResources: sanitize, sanitizeExit: true });
}
