// fast-check, with a seed that is the same in each run, so that a check of a commit means the same today and tomorrow.
// Other histories are looked at on purpose: the environment's CJC_TEST_SEED is a number, as the nightly run sets it.
import { configureGlobal } from "fast-check-library";

export * from "fast-check-library";

configureGlobal({ seed: readSeed(Deno.env.get("CJC_TEST_SEED") ?? "1") });

function readSeed(text: string): number {
  const seed = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(seed)) {
    throw new Error(`CJC_TEST_SEED: expected a whole number, got ${JSON.stringify(text)}`);
  }
  return seed;
}
