import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { IndexSet } from "../../src/job/api/index_set.ts";
import { test } from "../support/test.ts";

test("IndexSet reads and writes the compressed form", () => {
  const table: [text: string | undefined, completions: number, read: string, size: number][] = [
    [undefined, 5, "", 0],
    ["", 5, "", 0],
    ["0", 5, "0", 1],
    ["0,1", 5, "0,1", 2],
    ["0-2", 5, "0-2", 3],
    ["1,3-5,7", 8, "1,3-5,7", 5],
    ["0,1,2,4", 5, "0-2,4", 4],
    ["3-9", 5, "3,4", 2],
    ["5-9", 5, "", 0],
    ["3,x,1", 5, "1,3", 2],
    ["4-2", 5, "", 0],
  ];
  for (const [text, completions, read, size] of table) {
    const set = IndexSet.parse(text, completions);
    assertEquals([set.toString(), set.size], [read, size], `${text} of ${completions}`);
  }
});

const indexes = fc.uniqueArray(fc.nat(30), { maxLength: 25 });

test("IndexSet agrees with a plain set", () => {
  fc.assert(fc.property(indexes, indexes, fc.nat(32), fc.nat(8), (a, b, completions, count) => {
    const set = IndexSet.of(a);
    const both = new Set([...a, ...b]);
    assertEquals(set.size, a.length);
    for (let index = 0; index < 32; index++) assertEquals(set.has(index), a.includes(index));
    assertEquals(set.union(b).toString(), IndexSet.of(both).toString());
    assertEquals(set.union(IndexSet.of(b)).size, both.size);
    assertEquals(set.overlap(IndexSet.of(b)), a.filter((index) => b.includes(index)).length);
    assertEquals(IndexSet.parse(set.toString(), 100).toString(), set.toString());
    const missing = Array.from({ length: completions }, (_, index) => index).filter((index) => !a.includes(index));
    assertEquals(set.firstMissing(count, completions), missing.slice(0, count));
  }));
});
