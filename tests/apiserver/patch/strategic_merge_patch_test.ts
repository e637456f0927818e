import { assertEquals, assertThrows } from "@std/assert";
import { strategicMergePatch } from "../../../src/apiserver/patch/strategic_merge_patch.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { CORE_TYPES } from "../../../src/apiserver/schema/types/core.ts";
import { META_TYPES } from "../../../src/apiserver/schema/types/meta.ts";
import { test } from "../../support/test.ts";

const POD_SPEC = CORE_TYPES.struct("PodSpec");
const META = META_TYPES.struct("ObjectMeta");

const CASES: [string, Json, Json, Json][] = [
  [
    "merges containers by name, and their environment by name",
    { containers: [{ name: "a", image: "1", env: [{ name: "X", value: "1" }] }, { name: "b" }] },
    { containers: [{ name: "a", env: [{ name: "Y", value: "2" }] }] },
    {
      containers: [{ name: "a", image: "1", env: [{ name: "Y", value: "2" }, { name: "X", value: "1" }] }, {
        name: "b",
      }],
    },
  ],
  [
    "replaces lists that have no merge key",
    { containers: [{ name: "a", command: ["x", "y"] }], tolerations: [{ key: "a" }] },
    { containers: [{ name: "a", command: ["z"] }], tolerations: [{ key: "b" }] },
    { containers: [{ name: "a", command: ["z"] }], tolerations: [{ key: "b" }] },
  ],
  [
    "deletes an item by its key",
    { containers: [{ name: "a" }, { name: "b" }] },
    { containers: [{ name: "a", $patch: "delete" }] },
    { containers: [{ name: "b" }] },
  ],
  [
    "replaces a whole list on request",
    { containers: [{ name: "a" }, { name: "b" }] },
    { containers: [{ $patch: "replace" }, { name: "c" }] },
    { containers: [{ name: "c" }] },
  ],
  [
    "brings items into the order of $setElementOrder, with others where they were",
    { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] },
    { "$setElementOrder/containers": [{ name: "c" }, { name: "a" }], containers: [{ name: "a", image: "2" }] },
    { containers: [{ name: "b" }, { name: "c" }, { name: "a", image: "2" }] },
  ],
  [
    "drops what $retainKeys doesn't keep, so that a volume has one source",
    { volumes: [{ name: "v", emptyDir: {} }] },
    { volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "c" } }] },
    { volumes: [{ name: "v", configMap: { name: "c" } }] },
  ],
  ["removes a field by null", { hostname: "h", subdomain: "s" }, { hostname: null }, { subdomain: "s" }],
  [
    "adds a list without the items that are directives",
    {},
    { containers: [{ name: "a", image: null, tty: true }, { name: "b", $patch: "delete" }] },
    { containers: [{ name: "a", tty: true }] },
  ],
];

/** Apimachinery `strategicpatch`, and what the handler of patches makes of its errors. */
const REFUSED: readonly (readonly [patch: Json, code: number, message: string])[] = [
  [{ containers: [{ image: "x" }] }, 500, "an item of a list lacks its merge key name"],
  [{ containers: [{ $patch: "delete" }] }, 500, "an item of a list lacks its merge key name"],
  [{ containers: [{ $patch: "merge" }] }, 500, "merging lists cannot yet be specified in the patch"],
  [{ containers: [{ $patch: "x", name: "a" }] }, 500, 'unknown $patch directive "x"'],
  [{ containers: ["a"] }, 500, "the items of a list must be of one type"],
  [{ containers: [["a"]] }, 422, "the server rejected our request due to an error in our request"],
  [{ securityContext: { $patch: "explode" } }, 500, 'unknown $patch directive "explode"'],
  [{ securityContext: { $retainKeys: "x" } }, 400, "invalid patch format of retainKeys"],
  [{ $deleteFromPrimitiveList: ["x"] }, 400, "invalid patch format of primitive list"],
  [{ $setElementOrder: ["x"] }, 400, "invalid patch format of setElementOrder list"],
  [{ "$setElementOrder/containers": "x" }, 500, "must be array, not string"],
  [{ "$setElementOrder/nope": [] }, 500, "there is no field nope to put in order"],
];

for (const [title, target, patch, result] of CASES) {
  test(`strategic merge patch ${title}`, () => assertEquals(strategicMergePatch(target, patch, POD_SPEC), result));
}

test("strategic merge patch merges lists of plain values, and takes values out of them", () => {
  const target = { finalizers: ["a", "b"] };
  assertEquals(strategicMergePatch(target, { finalizers: ["c", "b"] }, META), { finalizers: ["c", "a", "b"] });
  assertEquals(strategicMergePatch(target, { "$deleteFromPrimitiveList/finalizers": ["a"] }, META), {
    finalizers: ["b"],
  });
});

test("strategic merge patch leaves target and patch as they were", () => {
  const target = { containers: [{ name: "a", env: [{ name: "X" }] }] };
  const patch = { containers: [{ name: "a", env: [{ name: "X", value: "1" }], $retainKeys: ["name", "env"] }] };
  const before = structuredClone({ target, patch });
  strategicMergePatch(target, patch, POD_SPEC);
  assertEquals({ target, patch }, before);
});

test("strategic merge patch refuses items without their key and unknown directives", () => {
  const target = { containers: [{ name: "a" }], securityContext: {}, volumes: [] };
  for (const [patch, code, message] of REFUSED) {
    const refusal = assertThrows(() => strategicMergePatch(target, patch, POD_SPEC), Refusal);
    assertEquals([refusal.code, refusal.message], [code, message]);
  }
});
