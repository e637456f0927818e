import { hunksOf } from "./line_diff.ts";

/** Returns what `diff -u` prints about two short texts; empty if they are the same. */
export function unifiedDiff(
  before: string,
  after: string,
  { from, to }: { from: string; to: string },
): string {
  const hunks = hunksOf(linesOf(before), linesOf(after));
  return hunks.length === 0 ? "" : [`--- ${from}`, `+++ ${to}`, ...hunks].join("\n") + "\n";
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
