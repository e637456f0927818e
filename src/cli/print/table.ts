import { printable } from "../../telemetry/printable.ts";
import { type Colour, coloured, PLAIN, type Terminal } from "./terminal.ts";

/** A cell with a colour of its own. */
export type Cell = string | { readonly text: string; readonly colour: Colour | undefined };

/** With less room than this a text that explains something does not explain it. */
const LEGIBLE = 30;

export interface TableOptions {
  readonly terminal?: Terminal;
  /** Head of a column whose cells stand below their rows where the terminal leaves them too little room beside. */
  readonly explains?: string;
  /** Heads of columns that a terminal without room for all does without, the first one first. */
  readonly spare?: readonly string[];
}

/**
 * Columns side by side, without those that have nothing under their head. On a terminal lines are cut to its width, but for
 * those that explain something.
 */
export function formatTable(
  rows: readonly (readonly Cell[])[],
  { terminal = PLAIN, explains, spare = [] }: TableOptions = {},
): string {
  const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
  const filled = columns.filter(([, ...cells]) => cells.some((cell) => textOf(cell) !== ""));
  const explaining = filled.find(([head]) => head === explains);
  // A terminal without a size has no width that would be kept to.
  const limit = terminal.columns || Infinity;
  const others = fitting(filled.filter((cells) => cells !== explaining), limit, spare);
  const used = filled.filter((cells) => cells === explaining || others.includes(cells));
  const isBelow = explaining !== undefined && limit - widthOf(others) < LEGIBLE;
  const lines = linesOf(isBelow ? others : used, limit, terminal);
  if (!isBelow) return lines.join("\n");
  const below = explaining.map((cell, row) => row === 0 ? "" : textOf(cell));
  return lines.flatMap((line, row) => below[row] === "" ? [line] : [line, INDENT + below[row]]).join("\n");
}

/** Returns those that there is room for, as far as some can be spared. */
function fitting(
  columns: readonly (readonly Cell[])[],
  limit: number,
  [first, ...rest]: readonly string[],
): readonly (readonly Cell[])[] {
  if (first === undefined || widthOf(columns) - GAP <= limit) return columns;
  return fitting(columns.filter(([head]) => head !== first), limit, rest);
}

const INDENT = "    ";
const GAP = 2;

function linesOf(columns: readonly (readonly Cell[])[], limit: number, terminal: Terminal): string[] {
  const widths = columns.map(widthOfColumn);
  return (columns[0] ?? []).map((_, row) => {
    let left = limit;
    let line = "";
    for (const [i, cells] of columns.entries()) {
      const cell = cells[row] ?? "";
      const isLast = i === columns.length - 1;
      const text = textOf(cell);
      const shown = text.length <= left ? text : left > 1 ? text.slice(0, left - 1) + "…" : "";
      left -= shown.length;
      const padding = isLast ? 0 : Math.min(widths[i]! + GAP - text.length, Math.max(0, left));
      left -= padding;
      line += coloured(shown, typeof cell === "string" ? undefined : cell.colour, terminal) + " ".repeat(padding);
    }
    return line.trimEnd();
  });
}

function widthOf(columns: readonly (readonly Cell[])[]): number {
  return columns.reduce((sum, cells) => sum + widthOfColumn(cells) + GAP, 0);
}

function widthOfColumn(cells: readonly Cell[]): number {
  return Math.max(...cells.map((cell) => textOf(cell).length));
}

function textOf(cell: Cell): string {
  return printable(typeof cell === "string" ? cell : cell.text);
}
