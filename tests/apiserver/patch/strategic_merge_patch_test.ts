import { assertEquals, assertThrows } from "@std/assert";
import { strategicMergePatch } from "../../../src/apiserver/patch/strategic_merge_patch.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { KUBERNETES_TYPES } from "../../../src/apiserver/schema/kubernetes_types.ts";
import { test } from "../../support/test.ts";

const POD_SPEC = KUBERNETES_TYPES.struct("core.PodSpec");
const META = KUBERNETES_TYPES.struct("meta.ObjectMeta");

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
    "adds a list without the directives in it",
    {},
    { containers: [{ name: "a", $patch: "merge", image: null, tty: true }] },
    { containers: [{ name: "a", tty: true }] },
  ],
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
  const patch = { containers: [{ name: "a", env: [{ name: "X", value: "1" }], $patch: "merge" }] };
  const before = structuredClone({ target, patch });
  strategicMergePatch(target, patch, POD_SPEC);
  assertEquals({ target, patch }, before);
});

test("strategic merge patch refuses items without their key and unknown directives", () => {
  assertThrows(() => strategicMergePatch({}, { containers: [{ image: "x" }] }, POD_SPEC), Refusal, "merge key: name");
  assertThrows(() => strategicMergePatch({}, { securityContext: { $patch: "explode" } }, POD_SPEC), Refusal, "explode");
});
