/** Unchanged lines around a change. */
const CONTEXT = 3;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/**
 * Returns the lines that `diff -u` prints about two short texts below their names. Takes time and memory by the product
 * of their lines.
 */
export function hunksOf(before: readonly string[], after: readonly string[]): string[] {
  const lines = compare(before, after);
  return placesOf(lines).flatMap(([start, end]) => hunk(lines, start, end));
}

/** By the longest common subsequence. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1;
  /** At `i * width + j`: how many lines the rests from `before[i]` and `after[j]` have in common. */
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j]
        ? common[(i + 1) * width + j + 1]! + 1
        : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [old, fresh] = [before[i], after[j]];
    if (old === undefined || fresh === undefined) break;
    if (old === fresh) {
      lines.push({ sign: " ", text: old });
      i++, j++;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) {
      lines.push({ sign: "-", text: old });
      i++;
    } else {
      lines.push({ sign: "+", text: fresh });
      j++;
    }
  }
  for (const text of before.slice(i)) lines.push({ sign: "-", text });
  for (const text of after.slice(j)) lines.push({ sign: "+", text });
  return lines;
}

/** Returns where hunks begin and end. */
function placesOf(lines: readonly Line[]): [start: number, end: number][] {
  const places: [number, number][] = [];
  for (const [at, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const start = Math.max(0, at - CONTEXT);
    const end = Math.min(lines.length, at + CONTEXT + 1);
    const last = places.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else places.push([start, end]);
  }
  return places;
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
