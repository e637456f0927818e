import { structuredPatch } from "diff";

/** More changed lines than this are shown as one change of everything: the time to find them grows with their square. */
const MAX_CHANGES = 1_000;

/** Returns the lines that `diff -u` prints about two texts below their names. */
export function hunksOf(before: readonly string[], after: readonly string[]): string[] {
  const options = { context: 3, maxEditLength: MAX_CHANGES };
  const patch = structuredPatch("", "", textOf(before), textOf(after), "", "", options);
  const range = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
  if (!patch) {
    const header = `@@ -${range(1, before.length)} +${range(1, after.length)} @@`;
    return [header, ...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  }
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...lines,
  ]);
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
