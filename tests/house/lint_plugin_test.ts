import { assertEquals } from "@std/assert";
import plugin from "./lint_plugin.ts";
import { test } from "../support/test.ts";

const HERE = "/project/src/runtime/x.ts";

/** Code, the rule that objects to it, if any, and the file where it stands. */
const CASES: readonly (readonly [code: string, rule: string | undefined, file?: string])[] = [
  ["export function f() {}", "docstring"],
  ["// No docstring.\nexport class C {}", "docstring"],
  ["/** Returns nothing. */\nexport function f() {}", undefined],
  ["/** Nothing. */\nconst X = 1;\nexport function f() {}", "docstring"],
  ["/** Nothing. */\nconst X = 1;\nexport function f() {}", "docstring", "/project/src/apiserver/x.ts"],
  ["export function f() {}", "docstring", "/project/src/cli/x.ts"],
  ["function f() {}", undefined],
  ["export const X = 1;", undefined],
  ["export function f() {}", undefined, "/project/tests/x.ts"],
  ["export function f() {}", undefined, "/project/src/dashboard/page/x.ts"],
  ["throw new Error('It is empty');", "error-grammar"],
  ["throw new RangeError(`Wrong ${x}`);", "error-grammar"],
  ["throw new UnreachableError('No answer');", "error-grammar"],
  ["throw new ApiError('Invalid name', { code: 400 });", undefined],
  ["throw new Error(`Cannot read ${x}: it is empty`);", undefined],
  ["throw new Error('it is empty');", undefined],
  ["throw new Error(message);", undefined],
  ["throw new Error('There is no CronJob x');", undefined, "/project/src/cli/x.ts"],
  ["setTimeout(f, 1);", "clock"],
  ["globalThis.setInterval(f, 1);", "clock"],
  ["Date.now();", "clock"],
  ["performance.now();", "clock"],
  ["new Date();", "clock"],
  ["Date.now();", undefined, "/project/src/dashboard/page/x.ts"],
  ["new Date(0);", undefined],
  ["clock.now();", undefined],
  ["setTimeout(f, 1);", undefined, "/project/src/base/clock.ts"],
  ["/** Whether it is. */\nfunction f() {}", "returns"],
  ["/**\n * Why it is not.\n */\nexport function f() {}", "returns"],
  ["/** Returns whether it is. */\nfunction f() {}", undefined],
  ["/** Whether it is. */\nconst x = 1;\nfunction f() {}", undefined],
  ["// Nobody looks.", "words"],
  ["f('told apart');", "words"],
  ["f(`It gave ${x} up, or gave up`);", "words", "/project/deploy/x.ts"],
  ["const nobody = told;", undefined],
  ["/* No one looks. */", undefined],
  ["// Nobody looks.", "words", "/project/tests/x.ts"],
  ["f('nobody:x:65534');", undefined],
  ["test('nobody looks', () => {});", "words", "/project/tests/x.ts"],
  ["await t.step(`${x} is told`, () => {});", "words", "/project/tests/x.ts"],
  ["test('no one looks', () => {}); f('told');", undefined, "/project/tests/x.ts"],
  ["f(Deno.internal);", "public-api"],
  ["const { internal } = Deno;", "public-api", "/project/src/dashboard/page/x.ts"],
  ["const deno = Deno as unknown as Record<symbol, object>;", "public-api"],
  ["Deno['internal'];", "public-api"],
  ["Deno[name];", "public-api"],
  ["f(globalThis.Deno);", "public-api"],
  ["const conn: Deno.Conn = await Deno.connect({ port }); type T = typeof Deno.permissions;", undefined],
  ["f(Deno);", undefined, "/project/tests/x.ts"],
  ["test('a', () => Deno.env.set('A', 'b'));", "alone", "/project/tests/x_test.ts"],
  ["Deno.umask(0);", "alone", "/project/tests/x_test.ts"],
  ["testAlone(file, 'a', () => { Deno.env.delete('A'); });", undefined, "/project/tests/x_test.ts"],
  ["Deno.env.get('A'); f('Deno.chdir(x)');", undefined, "/project/tests/x_test.ts"],
  ["Deno.env.set('A', 'b');", undefined, "/project/tests/bench/x.ts"],
];

for (const [code, rule, file = HERE] of CASES) {
  test(`the lint plugin ${rule ? `objects by house/${rule} to` : "allows"} ${code} in ${file}`, () => {
    const objections = Deno.lint.runPlugin(plugin, file, code).map(({ id }) => id);
    assertEquals(objections, rule ? [`house/${rule}`] : []);
  });
}
