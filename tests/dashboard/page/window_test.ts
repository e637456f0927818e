import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { slotsOf } from "../../../src/dashboard/page/parts/window.ts";
import { test } from "../../support/test.ts";

test("a row that stays in view keeps its place, and a new one takes that of a row that has gone", () => {
  const first = slotsOf(new Map(), ["a", "b", "c"], undefined);
  assertEquals([...first], [["a", 0], ["b", 1], ["c", 2]]);
  assertEquals([...slotsOf(first, ["x", "c", "y"], undefined)], [["x", 0], ["c", 2], ["y", 1]]);
  assertEquals([...slotsOf(first, ["c", "d", "e", "f"], undefined)], [["c", 2], ["d", 0], ["e", 1], ["f", 3]]);
});

test("the row in which the focus was leaves its place to no other", () => {
  const before = slotsOf(new Map(), ["a", "b"], undefined);
  assertEquals([...slotsOf(before, ["x", "y"], "a")], [["x", 1], ["y", 2]]);
});

test("no two rows in view have one place", () => {
  const views = fc.array(fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { maxLength: 6 }), { maxLength: 8 });
  fc.assert(fc.property(views, (views) => {
    let slots = new Map<string, number>();
    for (const ids of views) {
      const before = slots;
      slots = slotsOf(before, ids, ids[0]);
      assertEquals([...slots.keys()], ids);
      assertEquals(new Set(slots.values()).size, ids.length);
      for (const id of ids) if (before.has(id)) assertEquals(slots.get(id), before.get(id));
    }
  }));
});
