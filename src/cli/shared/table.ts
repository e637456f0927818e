import { type Colour, coloured, PLAIN, type Terminal } from "./terminal.ts";

/** A cell with a colour of its own. */
export type Cell = string | { readonly text: string; readonly colour: Colour };

/** Columns side by side, without those that have nothing under their head. On a terminal lines are cut to its width. */
export function formatTable(rows: readonly (readonly Cell[])[], terminal: Terminal = PLAIN): string {
  const columns = rows[0].map((_, column) => rows.map((row) => row[column]));
  const used = columns.filter(([, ...cells]) => cells.some((cell) => textOf(cell) !== ""));
  const widths = used.map((cells) => Math.max(...cells.map((cell) => textOf(cell).length)));
  return rows.map((_, row) => {
    let left = terminal.columns;
    let line = "";
    for (const [i, cells] of used.entries()) {
      const cell = cells[row];
      const isLast = i === used.length - 1;
      const text = textOf(cell);
      const shown = text.length <= left ? text : left > 1 ? text.slice(0, left - 1) + "…" : "";
      left -= shown.length;
      const padding = isLast ? 0 : Math.min(widths[i] + 2 - text.length, Math.max(0, left));
      left -= padding;
      line += coloured(shown, typeof cell === "string" ? undefined : cell.colour, terminal) + " ".repeat(padding);
    }
    return line.trimEnd();
  }).join("\n");
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.text;
}
