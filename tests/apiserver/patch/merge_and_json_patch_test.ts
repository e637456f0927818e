import { assertEquals, assertThrows } from "@std/assert";
import { jsonPatch } from "../../../src/apiserver/patch/json_patch.ts";
import { mergePatch } from "../../../src/base/merge_patch.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { test } from "../../support/test.ts";

// The examples of RFC 7386, appendix A.
const MERGES: [unknown, unknown, unknown][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [["a", "b"], ["c", "d"], ["c", "d"]],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

for (const [target, patch, result] of MERGES) {
  test(`merge patch of ${JSON.stringify(target)} with ${JSON.stringify(patch)}`, () => {
    assertEquals(mergePatch(target, patch), result);
  });
}

test("a JSON patch that fails half-way changes nothing", () => {
  const target: Json = { a: 1, b: { c: 2 } };
  const patch = [{ op: "replace", path: "/a", value: 9 }, { op: "remove", path: "/b/nope" }];
  assertEquals(assertThrows(() => jsonPatch(target, patch), Refusal).code, 422);
  assertEquals(target, { a: 1, b: { c: 2 } });
});

test("a JSON patch adds, moves, copies and tests", () => {
  const patch = [
    { op: "test", path: "/a", value: [1, 2] },
    { op: "add", path: "/a/-", value: 3 },
    { op: "move", from: "/b", path: "/c" },
    { op: "copy", from: "/a/0", path: "/d~1e" },
  ];
  assertEquals(jsonPatch({ a: [1, 2], b: {} }, patch), { a: [1, 2, 3], c: {}, "d/e": 1 });
});

test("what is no list of operations is a bad request", () => {
  for (const patch of [{}, "x", ["x"], [{ op: 5 }]]) {
    assertEquals(assertThrows(() => jsonPatch({}, patch), Refusal).code, 400);
  }
});

test("a JSON patch copies three mebibytes in all, and no more", () => {
  const copies = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ op: "copy", from: "/a", path: `/b${index}` }));
  const target: Json = { a: "x".repeat(1024 * 1024 - 2) };
  assertEquals(Object.keys(jsonPatch(target, copies(3))).length, 4);
  assertEquals(assertThrows(() => jsonPatch(target, copies(4)), Refusal).code, 422);
  const doubled = Array.from({ length: 100 }, (_, index) => ({ op: "copy", from: "", path: `/b${index}` }));
  assertEquals(assertThrows(() => jsonPatch({ a: 1 }, doubled), Refusal).code, 422);
});
