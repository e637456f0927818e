// @ts-check
/** @import { LoadOfDay } from "../../wire.ts" */
import { offsetMs } from "../model/times.js";

/** How many of something, from the least of one level on. */
const LEVELS = [0, 1, 5, 20, 50];

/** In words, for the legend. */
export const LEVEL_LABELS = ["none", "1–4", "5–19", "20–49", "50 or more"];

/** @param {number} value */
export function levelOf(value) {
  return LEVELS.findLastIndex((least) => value >= least);
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
