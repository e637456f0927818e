import { assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { duplicateFields, unknownFields } from "../../../src/apiserver/schema/json_text.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import { test } from "../../support/test.ts";
import { inProportion } from "../support/in_proportion.ts";

test("keys given twice are found at any depth, in the text's order", () => {
  const text = '{ "a": {"b": [ {"c":1,\n"c":2}, 3 ], "b" : "}\\"{" }, "a\\u0062": 1, "ab": null, "a":{} }';
  assertEquals(duplicateFields(text), ["a.b[0].c", "a.b", "ab", "a"].map((path) => `duplicate field "${path}"`));
});

test("JSON that was written by JSON.stringify gives nothing twice", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
    assertEquals(duplicateFields(JSON.stringify(value, null, indent)), []);
  }));
});

test("text that is nested without end is refused", () => {
  assertThrows(() => duplicateFields("[".repeat(100_000)), Refusal, "exceeded max depth");
});

test("of any number of repeated and unknown fields a hundred each are named, in time that grows with the text", () => {
  const complaints = inProportion(6_000, (size) => {
    const unknown = Array.from({ length: size }, (_, index) => `u${index}`);
    const text = `{"a":[${"{},".repeat(size)}0],"a":{},${unknown.map((name) => `"${name}":1`).join(",")}}`;
    return () => [...duplicateFields(text), ...unknownFields(unknown)];
  });
  assertEquals([complaints.length, complaints[0], complaints[100]], [
    101,
    'duplicate field "a"',
    'unknown field "u99"',
  ]);
  const deepest = inProportion(12_000, (size) => {
    const deep = `${'{"a":'.repeat(900)}{${'"a":1,'.repeat(size)}"a":1}${"}".repeat(900)}`;
    return () => duplicateFields(deep);
  });
  assertEquals(deepest.length, 100);
});
