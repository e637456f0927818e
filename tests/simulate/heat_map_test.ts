import { assertEquals } from "@std/assert";
import { heatMapOf, levelOf, levelText } from "../../src/simulate/heat_map.ts";
import type { SimulationReport } from "../../src/simulate/report.ts";
import { must } from "../support/expected.ts";
import { LOAD } from "../dashboard/browser/support/sample_fleet.ts";
import { test } from "../support/test.ts";

interface Given {
  readonly from: string;
  readonly to: string;
  readonly timeZone?: string;
  readonly starts: readonly number[];
  readonly active?: readonly number[];
}

function mapOf({ from, to, timeZone = "UTC", starts, active = starts }: Given, of?: "active") {
  const report = { from, to, timeZone, load: { cells: { minutes: 5, from, starts, active } } };
  return heatMapOf(report as unknown as SimulationReport, of);
}

test("load is laid out by the hours of the wall clock, and an hour that comes twice has two rows", () => {
  const starts = Array.from({ length: 36 }, (_, index) => index);
  const span = { from: "2026-10-25T00:00:00Z", to: "2026-10-25T03:00:00Z", timeZone: "Europe/Berlin" };
  const { columns, rows } = mapOf({ ...span, starts });
  assertEquals(columns.length, 12);
  assertEquals(rows.map(({ label }) => label), ["02", "02", "03"]);
  const cell = must(must(rows[1]).cells[3]);
  assertEquals([cell.value, cell.label, cell.at], [15, "02:15", Date.parse("2026-10-25T01:15Z")]);
});

test("load that begins amid an hour leaves the cells before it empty", () => {
  const { rows } = mapOf({ from: "2026-11-20T10:55:00Z", to: "2026-11-20T11:05:00Z", starts: [7, 8] });
  assertEquals(rows.map(({ cells }) => cells.findIndex((cell) => cell !== undefined)), [11, 0]);
});

test("active runs have a map and levels of their own", () => {
  const given = { from: "2026-11-20T10:00:00Z", to: "2026-11-20T10:05:00Z", starts: [7], active: [300] };
  const { rows, levels } = mapOf(given, "active");
  assertEquals(must(rows[0]).cells[0]?.value, 300);
  assertEquals(levels.map(levelText), ["0", "1-74", "75-149", "150-224", "225+"]);
});

test("more load is a higher level", () => {
  const levelsOf = (most: number, values: readonly number[]) => {
    const { levels } = mapOf({ from: "2026-11-20T10:00:00Z", to: "2026-11-20T10:05:00Z", starts: [most] });
    return values.map((value) => levelOf(value, levels));
  };
  assertEquals(levelsOf(99, [0, 1, 4, 5, 19, 20, 49, 50, 99]), [0, 1, 1, 2, 2, 3, 3, 4, 4]);
  // Of 300 CronJobs every cell has more than 50.
  assertEquals(levelsOf(300, [0, 60, 75, 150, 224, 225, 300]), [0, 1, 2, 3, 3, 4, 4]);
});

test("the cell of the busiest minute has the number of starts that the report names", () => {
  const { peakStarts } = LOAD.load;
  const cells = heatMapOf(LOAD).rows.flatMap(({ cells }) => cells.flatMap((cell) => cell ?? []));
  assertEquals(peakStarts.count > 0, true);
  assertEquals(Math.max(...cells.map(({ value }) => value)), peakStarts.count);
  const busiest = cells.findLast(({ at }) => at <= Date.parse(peakStarts.minute));
  assertEquals(busiest?.value, peakStarts.count);
});
