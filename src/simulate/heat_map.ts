import type { EpochMs } from "../base/epoch_ms.ts";
import { timeZone } from "../schedule/time_zone.ts";
import type { SimulationReport } from "./report.ts";

/** The counts that share a colour, both ends included. */
export type Level = readonly [least: number, most: number];

/** Below 100, levels are the same everywhere, so that pictures can be compared. */
const COMMON: readonly Level[] = [[0, 0], [1, 4], [5, 19], [20, 49], [50, Infinity]];

/** Returns the levels of a picture whose highest value is `most`: beyond the common ones, quarters of it. */
function levelsUpTo(most: number): readonly Level[] {
  if (most < 100) return COMMON;
  const quarter = (count: number) => Math.ceil(most * count / 4);
  const middle = [1, 2].map((n): Level => [quarter(n), quarter(n + 1) - 1]);
  return [[0, 0], [1, quarter(1) - 1], ...middle, [quarter(3), Infinity]];
}

/** Returns the index of the level of a value. */
export function levelOf(value: number, levels: readonly Level[]): number {
  return levels.findIndex(([, most]) => value <= most);
}

/** `1-4` */
export function levelText([least, most]: Level): string {
  return most === Infinity ? `${least}+` : least === most ? String(least) : `${least}-${most}`;
}

export interface HeatCell {
  /** When it begins. */
  readonly at: EpochMs;
  /** When it begins by the wall clock: `14:05`. */
  readonly label: string;
  readonly value: number;
  /** Without the manifests; undefined where nothing is compared. */
  readonly before: number | undefined;
}

export interface HeatMap {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly label: string; readonly cells: readonly (HeatCell | undefined)[] }[];
  readonly cellMinutes: number;
  readonly levels: readonly Level[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A longer span has a row for a day, in place of one for an hour. */
const LONGEST_BY_HOUR_MS = 2 * DAY_MS;

/** Lays starts or active runs out by the wall clock: in rows of an hour, or of a day where the span is long. */
export function heatMapOf(
  { from, to, timeZone: zone, load: { cells }, before }: SimulationReport,
  of: "starts" | "active" = "starts",
): HeatMap {
  const spanMs = Date.parse(to) - Date.parse(from);
  const cellMinutes = spanMs > LONGEST_BY_HOUR_MS ? 60 : cells.minutes;
  const rowMs = cellMinutes === 60 ? DAY_MS : HOUR_MS;
  const count = rowMs / (cellMinutes * 60_000);
  const rows = new Map<string, { label: string; cells: (HeatCell | undefined)[] }>();
  for (const [i, value] of cells[of].entries()) {
    const instant = Date.parse(cells.from) + i * cells.minutes * 60_000;
    const { offsetMs } = timeZone(zone).periodAt(instant);
    const wall = instant + offsetMs;
    // An hour that comes twice has two rows.
    const key = `${Math.floor(wall / rowMs)} ${rowMs === HOUR_MS ? offsetMs : ""}`;
    // Not getOrInsertComputed(): some browsers have no such method yet.
    const row = rows.get(key) ?? { label: rowLabel(wall, rowMs, spanMs), cells: Array(count).fill(undefined) };
    rows.set(key, row);
    const column = Math.floor((wall % rowMs) / (cellMinutes * 60_000));
    const known = row.cells[column];
    row.cells[column] = {
      at: known?.at ?? instant,
      label: known?.label ?? new Date(wall).toISOString().slice(11, 16),
      value: Math.max(value, known?.value ?? 0),
      before: before && Math.max(before.cells[of][i] ?? 0, known?.before ?? 0),
    };
  }
  const columns = Array.from(
    { length: count },
    (_, i) => cellMinutes === 60 ? String(i).padStart(2, "0") : `:${String(i * cellMinutes).padStart(2, "0")}`,
  );
  const levels = levelsUpTo(Math.max(0, ...cells[of], ...before?.cells[of] ?? []));
  return { columns, rows: [...rows.values()], cellMinutes, levels };
}

function rowLabel(wall: EpochMs, rowMs: number, spanMs: number): string {
  const text = new Date(wall).toISOString();
  if (rowMs === DAY_MS) return text.slice(0, 10);
  // Of one day, the longest of which has 25 hours, the hour says enough.
  return spanMs <= DAY_MS + HOUR_MS ? text.slice(11, 13) : `${text.slice(5, 10)} ${text.slice(11, 13)}`;
}
