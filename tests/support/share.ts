const SHARE = readShare(Deno.env.get("CJC_TEST_SHARE") ?? "1");

/** Rounds of a long test: `count`, or the share of it that the environment's CJC_TEST_SHARE names, such as 0.5. */
export function shareOf(count: number): number {
  return Math.ceil(count * SHARE);
}

function readShare(text: string): number {
  const share = Number(text);
  if (!(share > 0 && share <= 1)) {
    throw new Error(`CJC_TEST_SHARE: expected a number above 0, at most 1, got "${text}"`);
  }
  return share;
}
