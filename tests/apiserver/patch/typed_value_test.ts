import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { FieldSet } from "../../../src/apiserver/patch/field_set.ts";
import { compareValues, fieldSetOf, mergeValues, withoutPaths } from "../../../src/apiserver/patch/typed_value.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import type { FieldSchema } from "../../../src/apiserver/schema/field_schema.ts";
import { CORE_TYPES } from "../../../src/apiserver/schema/types/core.ts";
import { test } from "../../support/test.ts";

const SET: FieldSchema = { type: "list", listType: "set", items: { type: "string" } };
const CONTAINER = CORE_TYPES.struct("Container");
const NAMES = fc.uniqueArray(fc.constantFrom(..."abcdefg"), { maxLength: 7 });

test("merged lists have each item once, wanted ones in the wanted order, the others in theirs", () => {
  fc.assert(fc.property(NAMES, NAMES, (live, wanted) => {
    const merged = mergeValues(live, wanted, SET) as string[];
    assertEquals([...merged].sort(), [...new Set([...live, ...wanted])].sort());
    assertEquals(merged.filter((name) => wanted.includes(name)), wanted);
    const onlyThere = live.filter((name) => !wanted.includes(name));
    assertEquals(merged.filter((name) => onlyThere.includes(name)), onlyThere);
  }));
});

test("applying again what is there already changes nothing", () => {
  fc.assert(fc.property(NAMES, NAMES, (live, wanted) => {
    const once = mergeValues(live, wanted, SET);
    assertEquals(mergeValues(once, wanted, SET), once);
  }));
});

test("a port is known by its number and protocol, TCP where none is given", () => {
  const container = { name: "a", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] };
  assertEquals(fieldSetOf(container, CONTAINER).toFieldsV1(), {
    "f:name": {},
    "f:ports": {
      'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} },
      'k:{"containerPort":80,"protocol":"UDP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} },
    },
  });
});

test("compareValues distinguishes added, changed and removed fields", () => {
  const before: Json = { name: "a", image: "1", args: ["x"], env: [{ name: "X", value: "1" }] };
  const after: Json = { name: "a", image: "2", env: [{ name: "X", value: "1" }, { name: "Y" }] };
  const { added, modified, removed } = compareValues(before, after, CONTAINER);
  assertEquals(added.toFieldsV1(), { "f:env": { 'k:{"name":"Y"}': { ".": {}, "f:name": {} } } });
  assertEquals(modified.toFieldsV1(), { "f:image": {} });
  assertEquals(removed.toFieldsV1(), { "f:args": {} });
});

test("withoutPaths removes items and fields, and what that leaves empty", () => {
  const container = { name: "a", env: [{ name: "X", value: "1" }], resources: { limits: { cpu: "1" } } };
  const paths = FieldSet.fromFieldsV1({
    "f:env": { 'k:{"name":"X"}': {} },
    "f:resources": { "f:limits": { "f:cpu": {} } },
  });
  assertEquals(withoutPaths(container, paths, CONTAINER), { name: "a" });
});
