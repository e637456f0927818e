import { assertEquals } from "@std/assert";
import { stretchesOf, ticksOf } from "../../../src/dashboard/page/timeline/scale.ts";
import { test } from "../../support/test.ts";

const at = (text: string) => Date.parse(text);

test("the axis has its labels at whole hours of the wall clock, also where it is off by minutes", () => {
  const scale = { from: at("2026-11-20T00:10Z"), to: at("2026-11-20T06:10Z"), width: 600 };
  assertEquals(ticksOf(scale, "Asia/Kathmandu").map(({ label }) => label), [
    "06:00",
    "07:00",
    "08:00",
    "09:00",
    "10:00",
    "11:00",
  ]);
});

test("a day begins with its name, and the hour that a change of the clocks leaves out is not there", () => {
  const scale = { from: at("2027-03-27T22:30Z"), to: at("2027-03-28T02:30Z"), width: 400 };
  assertEquals(ticksOf(scale, "Europe/Berlin").map(({ label }) => label), ["Sun 28", "01:00", "03:00", "04:00"]);
});

test("an axis without width has no labels", () => {
  assertEquals(ticksOf({ from: 0, to: 1_000, width: 0 }, "UTC"), []);
});

test("planned runs that lie too close become one stretch", () => {
  const scale = { from: 0, to: 100, width: 100 };
  assertEquals(stretchesOf([0, 2, 4, 20, 50, 52], scale, 3), [
    { from: 0, to: 4, count: 3 },
    { from: 20, to: 20, count: 1 },
    { from: 50, to: 52, count: 2 },
  ]);
});
