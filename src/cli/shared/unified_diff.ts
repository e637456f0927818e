/** Unchanged lines around a change. */
const CONTEXT = 3;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** What `diff -u` prints about two short texts; empty if they are the same. Takes time and memory by the product of their lines. */
export function unifiedDiff(
  before: string,
  after: string,
  { from, to }: { from: string; to: string },
): string {
  const lines = compare(linesOf(before), linesOf(after));
  const shown = hunksOf(lines);
  if (shown.length === 0) return "";
  return [`--- ${from}`, `+++ ${to}`, ...shown.flatMap(([start, end]) => hunk(lines, start, end))].join("\n") + "\n";
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** By the longest common subsequence. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1;
  /** At `i * width + j`: how many lines the rests from `before[i]` and `after[j]` have in common. */
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: " ", text: before[i++] });
      j++;
    } else if (i < before.length && (j === after.length || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      lines.push({ sign: "-", text: before[i++] });
    } else {
      lines.push({ sign: "+", text: after[j++] });
    }
  }
  return lines;
}

/** Where hunks begin and end. */
function hunksOf(lines: readonly Line[]): [start: number, end: number][] {
  const hunks: [number, number][] = [];
  for (const [at, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const start = Math.max(0, at - CONTEXT);
    const end = Math.min(lines.length, at + CONTEXT + 1);
    const last = hunks.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}

function hunk(lines: readonly Line[], start: number, end: number): string[] {
  const shown = lines.slice(start, end);
  const range = (without: "-" | "+") => {
    const first = lines.slice(0, start).filter(({ sign }) => sign !== without).length;
    const count = shown.filter(({ sign }) => sign !== without).length;
    return `${count === 0 ? first : first + 1},${count}`;
  };
  return [`@@ -${range("+")} +${range("-")} @@`, ...shown.map(({ sign, text }) => sign + text)];
}
