import { structuredPatch } from "diff";

/** Returns the lines that `diff -u` prints about two texts below their names. */
export function hunksOf(before: readonly string[], after: readonly string[]): string[] {
  const { hunks } = structuredPatch("", "", textOf(before), textOf(after), "", "", { context: 3 });
  const range = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
  return hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...lines,
  ]);
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
