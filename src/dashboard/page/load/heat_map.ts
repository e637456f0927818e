// @ts-check
/** @import { LoadOfDay } from "../../wire.ts" */
import { offsetMs } from "../model/times.js";

/**
 * Returns the least value of each level: up to 99 the same everywhere, beyond that quarters of the highest value.
 *
 * @param {number} most
 */
export function levelsUpTo(most) {
  return most < 100 ? [0, 1, 5, 20, 50] : [0, 1, ...[1, 2, 3].map((count) => Math.ceil(most * count / 4))];
}

/** In words, for the legend. @param {readonly number[]} levels */
export function levelLabels(levels) {
  return levels.map((least, level) => {
    const next = levels[level + 1];
    return least === 0 ? "none" : next === undefined ? `${least} or more` : `${least}–${next - 1}`;
  });
}

/** @param {number} value @param {readonly number[]} levels */
export function levelOf(value, levels) {
  return levels.findLastIndex((least) => value >= least);
}

/** @typedef {{ at: number, value: number }} Cell */
/** @typedef {{ columns: readonly string[], rows: readonly { label: string, cells: readonly (Cell | undefined)[] }[] }} HeatMap */

const HOUR_MS = 3_600_000;

/**
 * Lays what happens in each few minutes out by the wall clock: a row an hour. An hour that comes twice has two rows.
 *
 * @param {LoadOfDay["load"]["cells"]} cells
 * @param {readonly number[]} values
 * @param {string} zone
 * @returns {HeatMap}
 */
export function heatMapOf(cells, values, zone) {
  const cellMs = cells.minutes * 60_000;
  const count = HOUR_MS / cellMs;
  /** @type {Map<string, { label: string, cells: (Cell | undefined)[] }>} */
  const rows = new Map();
  for (const [index, value] of values.entries()) {
    const at = Date.parse(cells.from) + index * cellMs;
    const offset = offsetMs(at, zone);
    const wall = at + offset;
    const key = `${Math.floor(wall / HOUR_MS)} ${offset}`;
    let row = rows.get(key);
    if (!row) {
      rows.set(key, row = { label: new Date(wall).toISOString().slice(11, 13), cells: Array(count).fill(undefined) });
    }
    row.cells[Math.floor(wall % HOUR_MS / cellMs)] = { at, value };
  }
  const columns = Array.from({ length: count }, (_, index) => `:${String(index * cells.minutes).padStart(2, "0")}`);
  return { columns, rows: [...rows.values()] };
}
