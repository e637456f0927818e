import { fail } from "./assert.ts";
import { runToEnd } from "./run_to_end.ts";
import { test } from "./test.ts";

const VARIABLE = "CJC_TEST_ALONE";

/**
 * Declares a test that has a process of its own. All others share one and run at the same time, so what belongs to the whole
 * process (an environment variable, the umask) may be changed by tests of this kind only: a program that another test starts
 * meanwhile would inherit it. `file` is `import.meta.url`.
 */
export function testAlone(file: string, name: string, fn: () => void | Promise<void>): void {
  if (Deno.env.has(VARIABLE)) return test(name, fn);
  test(name, async () => {
    const only = ["--filter", `/^${name.replace(/[^\w ]/g, "\\$&")}$/`];
    const { code, stdout, stderr } = await runToEnd([Deno.execPath(), "test", "-A", "--no-check", ...only, file], {
      env: { [VARIABLE]: "1", NO_COLOR: "1" },
    });
    if (code !== 0 || !stdout.includes("ok | 1 passed")) fail(stdout + stderr);
  });
}
