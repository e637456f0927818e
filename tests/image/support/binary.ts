/** The compiled program: what `CJC_TEST_BINARY` names, else what `deno task compile` makes. */
export const BINARY = Deno.env.get("CJC_TEST_BINARY") ||
  new URL("../../../dist/cronjob-controller", import.meta.url).pathname;

await Deno.stat(BINARY).catch((cause) => {
  throw new Error(`These tests run the compiled program, and there is none at ${BINARY}: deno task compile`, { cause });
});
