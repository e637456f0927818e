import { createTwoFilesPatch } from "diff";

/** Returns what `diff -u` prints about two texts, three lines around each change; empty if they are the same. */
export function unifiedDiff(before: string, after: string, { from, to }: { from: string; to: string }): string {
  if (before === after) return "";
  return createTwoFilesPatch(from, to, before, after, undefined, undefined, { context: 3 }).replace(/^=+\n/, "");
}
