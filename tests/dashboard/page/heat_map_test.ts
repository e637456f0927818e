import { assertEquals } from "@std/assert";
import { heatMapOf, levelOf } from "../../../src/dashboard/page/load/heat_map.js";
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
  assertEquals([0, 1, 4, 5, 19, 20, 49, 50, 9_000].map(levelOf), [0, 1, 1, 2, 2, 3, 3, 4, 4]);
});
