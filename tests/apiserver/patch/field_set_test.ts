import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { FieldSet, type Path, pathText } from "../../../src/apiserver/patch/field_set.ts";
import { test } from "../../support/test.ts";

const PATHS = fc.array(fc.array(fc.constantFrom("f:a", "f:b", 'v:"x"'), { minLength: 1, maxLength: 3 }), {
  maxLength: 8,
});

function setOf(paths: readonly Path[]): FieldSet {
  const set = new FieldSet();
  for (const path of paths) set.insert(path);
  return set;
}

function texts(paths: Iterable<Path>): string[] {
  return [...new Set([...paths].map((path) => path.join("|")))].sort();
}

test("FieldSet does what a plain set of paths would", () => {
  fc.assert(fc.property(PATHS, PATHS, (a, b) => {
    const left = texts(a), right = texts(b);
    const check = (set: FieldSet, expected: string[]) => assertEquals(texts(set.paths()), expected.sort());
    check(setOf(a).union(setOf(b)), [...new Set([...left, ...right])]);
    check(setOf(a).intersection(setOf(b)), left.filter((path) => right.includes(path)));
    check(setOf(a).difference(setOf(b)), left.filter((path) => !right.includes(path)));
    check(
      setOf(a).recursiveDifference(setOf(b)),
      left.filter((path) => !right.some((other) => path === other || path.startsWith(`${other}|`))),
    );
  }));
});

test("FieldSet is the same after it was written as fieldsV1 and read again", () => {
  fc.assert(fc.property(PATHS, (paths) => {
    const set = setOf(paths);
    assertEquals(texts(FieldSet.fromFieldsV1(set.toFieldsV1()).paths()), texts(paths));
  }));
});

test("FieldSet reads no paths out of fieldsV1 that are no objects", () => {
  for (const fields of ["f:spec", 1, null, [{ "f:spec": {} }], undefined]) {
    assertEquals(FieldSet.fromFieldsV1(fields).paths(), []);
    assertEquals(FieldSet.fromFieldsV1({ "f:spec": fields }).paths(), [["f:spec"]]);
  }
});

test("pathText writes paths as conflicts show them", () => {
  assertEquals(
    pathText(["f:spec", "f:containers", 'k:{"containerPort":80,"protocol":"TCP"}', "f:image"]),
    '.spec.containers[containerPort=80,protocol="TCP"].image',
  );
  assertEquals(pathText(["f:metadata", "f:finalizers", 'v:"example.com/a"']), '.metadata.finalizers[="example.com/a"]');
});
