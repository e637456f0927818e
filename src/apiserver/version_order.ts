const STAGES = ["", "beta", "alpha"];

/**
 * The order of a group's versions for clients: apimachinery `CompareKubeAwareVersionStrings`, for
 * `Array.sort`. What is released goes before betas, these before alphas, newer ones before older, and whatever is named
 * in another way last, by its name.
 */
export function byPriority(a: string, b: string): number {
  const left = parse(a), right = parse(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  const differing = left.map((part, index) => part - right[index]!).find((difference) => difference !== 0);
  return differing ?? 0;
}

/** Smaller numbers first: the stage, and how new it is. */
function parse(version: string): number[] | undefined {
  const [, major, stage = "", minor = 0] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  return major === undefined ? undefined : [STAGES.indexOf(stage), -Number(major), -Number(minor)];
}
