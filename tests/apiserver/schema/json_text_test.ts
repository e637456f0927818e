import { assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { duplicateFields } from "../../../src/apiserver/schema/json_text.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import { test } from "../../support/test.ts";

test("keys given twice are found at any depth, in the text's order", () => {
  const text = '{ "a": {"b": [ {"c":1,\n"c":2}, 3 ], "b" : "}\\"{" }, "a\\u0062": 1, "ab": null, "a":{} }';
  assertEquals(duplicateFields(text), ["a.b[0].c", "a.b", "ab", "a"]);
});

test("JSON that was written by JSON.stringify gives nothing twice", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
    assertEquals(duplicateFields(JSON.stringify(value, null, indent)), []);
  }));
});

test("text that is nested without end is refused", () => {
  assertThrows(() => duplicateFields("[".repeat(100_000)), Refusal, "exceeded max depth");
});
