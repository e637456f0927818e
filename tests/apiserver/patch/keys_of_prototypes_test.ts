import { assertEquals } from "@std/assert";
import { mergePatch } from "../../../src/base/merge_patch.ts";
import { strategicMergePatch } from "../../../src/apiserver/patch/strategic_merge_patch.ts";
import { unmergeable } from "../../../src/apiserver/patch/unmergeable.ts";
import { compareValues, mergeValues } from "../../../src/apiserver/patch/typed_value.ts";
import { CORE_TYPES } from "../../../src/apiserver/schema/types/core.ts";
import { test } from "../../support/test.ts";

const MAP = CORE_TYPES.struct("ConfigMap");
const given = (key: string, value: unknown) =>
  JSON.parse(`{"data":{},${JSON.stringify(key)}:${JSON.stringify(value)}}`);
const data = (key: string, value: unknown) => JSON.parse(`{"data":{${JSON.stringify(key)}:${JSON.stringify(value)}}}`);

for (const key of ["constructor", "toString", "__proto__"]) {
  test(`${key} is no field because every object of JavaScript has it`, () => {
    assertEquals(unmergeable(given(key, { a: "b" }), MAP), [`.${key}: there is no such field`]);
    assertEquals(mergePatch({}, { [key]: null }), {});
  });

  test(`${key} is a key like any other in a map, by each kind of patch`, () => {
    const wanted = data(key, "x"), text = JSON.stringify(wanted);
    assertEquals(JSON.stringify(mergePatch({ data: {} }, wanted)), text);
    assertEquals(JSON.stringify(mergeValues({ data: {} }, wanted, MAP)), text);
    assertEquals(JSON.stringify(strategicMergePatch({ data: {} }, wanted, MAP)), text);
    const { added } = compareValues({ data: {} }, wanted, MAP);
    assertEquals(added.paths(), [["f:data", `f:${key}`]]);
  });
}
