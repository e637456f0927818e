// What a change of a custom object is judged by: a part that says what it said before is not judged again.
import { assertEquals } from "@std/assert";
import type { JsonSchema } from "../../../src/apiserver/schema/structural/json_schema.ts";
import { validateBySchema, validateChangeBySchema } from "../../../src/apiserver/schema/structural/validate.ts";
import { table } from "../../support/table.ts";
import { test } from "../../support/test.ts";

const SORT_A: JsonSchema = { properties: { sort: { enum: ["A"] } } };
const SORT_B: JsonSchema = { properties: { sort: { enum: ["B"] } } };
const SHORT: JsonSchema = { type: "string", pattern: "^a" };

/** What it is about, the schema, the value before, the value now, and whether that is taken. */
const ROWS: [string, JsonSchema, unknown, unknown, boolean][] = [
  ["an unchanged part may be wrong", { properties: { x: SHORT } }, { x: "b", y: 1 }, { x: "b", y: 2 }, true],
  ["a changed part may not", { properties: { x: SHORT } }, { x: "b" }, { x: "c" }, false],
  ["one of several still matches alone", { oneOf: [SORT_A, SORT_B] }, { sort: "A", n: 1 }, { sort: "A", n: 2 }, true],
  [
    "what must not match still does not",
    { not: { properties: { a: { enum: ["x"] } }, required: ["a"] } },
    {
      a: "y",
      n: 1,
    },
    { a: "y", n: 2 },
    true,
  ],
  [
    "all of several that are unchanged",
    { properties: { x: { allOf: [SHORT] } } },
    { x: "b", y: 1 },
    { x: "b", y: 2 },
    true,
  ],
  ["an item of a list without a type is judged", { items: SHORT }, ["b"], ["b", "a"], false],
  ["an unchanged list is not", { properties: { l: { items: SHORT } } }, { l: ["b"], y: 1 }, { l: ["b"], y: 2 }, true],
  [
    "an item of a map list is found by its key",
    { items: { properties: { x: SHORT } }, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
    [{ k: "1", x: "b" }],
    [{ k: "0", x: "a" }, { k: "1", x: "b" }],
    true,
  ],
];

table("Ratcheting", ROWS, (schema, before, now, isTaken) => {
  assertEquals(validateChangeBySchema(now, before, schema).length === 0, isTaken);
});

test("A new object is judged whole", () => {
  assertEquals(validateBySchema({ x: "b" }, { properties: { x: SHORT } }).length, 1);
});
