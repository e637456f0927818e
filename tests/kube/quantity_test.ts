import { assertEquals, assertThrows } from "@std/assert";
import { canonicalQuantity, compareQuantities, QuantityError, unitsOf } from "../../src/kube/quantity.ts";
import { test } from "../support/test.ts";

const CANONICAL: [string | number, string][] = [
  ["0", "0"],
  ["0.0", "0"],
  ["1", "1"],
  [2, "2"],
  ["1000m", "1"],
  ["0.5", "500m"],
  ["1.5", "1500m"],
  ["100", "100"],
  ["1000", "1k"],
  ["1500", "1500"],
  ["1e3", "1e3"],
  ["12E6", "12e6"],
  ["1024", "1024"],
  ["1024Ki", "1Mi"],
  ["1.5Gi", "1536Mi"],
  ["1025Mi", "1025Mi"],
  ["-2k", "-2k"],
  ["100n", "100n"],
  ["0.1n", "1n"],
  [".5", "500m"],
  ["1e99999999", "9223372036854775807"],
  ["-1e99999999", "-9223372036854775807"],
  ["9Ei", "9223372036854775807"],
  ["1e-99999999", "1e-9"],
  ["0e99999999", "0"],
];

for (const [text, canonical] of CANONICAL) {
  test(`the quantity ${text} is written ${canonical}`, () => assertEquals(canonicalQuantity(text), canonical));
}

test("what is no quantity is refused", () => {
  for (const text of ["", "lots", "1 Gi", "1KB", "Mi", "--1", "1e", "."]) {
    assertThrows(() => canonicalQuantity(text), QuantityError);
  }
});

test("quantities compare by what they mean", () => {
  assertEquals(compareQuantities("1", "1000m"), 0);
  assertEquals(compareQuantities("1Gi", "1G"), 1);
  assertEquals(compareQuantities("900m", "1"), -1);
});

test("the units of a quantity are whole, and rounded up once", () => {
  assertEquals([unitsOf("1.1", "milli"), unitsOf("0.1m", "milli"), unitsOf(2, "milli")], [1_100, 1, 2_000]);
  assertEquals([unitsOf("1.5Gi", "whole"), unitsOf("500m", "whole")], [1_610_612_736, 1]);
  assertEquals([unitsOf("much", "whole"), unitsOf(undefined, "whole")], [0, 0]);
});
