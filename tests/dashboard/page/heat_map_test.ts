import { assertEquals } from "@std/assert";
import { heatMapOf, levelLabels, levelOf, levelsUpTo } from "../../../src/dashboard/page/load/heat_map.js";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

test("load is laid out by the hours of the wall clock, and an hour that comes twice has two rows", () => {
  const values = Array.from({ length: 36 }, (_, index) => index);
  const cells = { minutes: 5, from: "2026-10-25T00:00:00Z", starts: values, active: values };
  const { columns, rows } = heatMapOf(cells, values, "Europe/Berlin");
  assertEquals(columns.length, 12);
  assertEquals(rows.map(({ label }) => label), ["02", "02", "03"]);
  assertEquals(must(rows[1]).cells[3]?.value, 15);
});

test("load that begins amid an hour leaves the cells before it empty", () => {
  const cells = { minutes: 5, from: "2026-11-20T10:55:00Z", starts: [7, 8], active: [] };
  const { rows } = heatMapOf(cells, cells.starts, "UTC");
  assertEquals(rows.map(({ cells }) => cells.findIndex((cell) => cell !== undefined)), [11, 0]);
});

test("more load is a higher level", () => {
  const levels = levelsUpTo(99);
  const levelsOf = (values: readonly number[], scale = levels) => values.map((value) => levelOf(value, scale));
  assertEquals(levelsOf([0, 1, 4, 5, 19, 20, 49, 50, 99]), [0, 1, 1, 2, 2, 3, 3, 4, 4]);
  assertEquals(levelLabels(levels), ["none", "1–4", "5–19", "20–49", "50 or more"]);
  // Of 300 CronJobs every cell has more than 50.
  const large = levelsUpTo(300);
  assertEquals(levelsOf([0, 60, 75, 150, 224, 225, 300], large), [0, 1, 2, 3, 3, 4, 4]);
  assertEquals(levelLabels(large), ["none", "1–74", "75–149", "150–224", "225 or more"]);
});
