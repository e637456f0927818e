import { assertEquals, assertThrows } from "@std/assert";
import { BUILT_IN_KINDS } from "../../../src/apiserver/kinds/all.ts";
import { CRON_JOBS } from "../../../src/apiserver/kinds/cron_job.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../../src/apiserver/kinds/custom_resource_definition.ts";
import { EVENTS, EVENTS_V1 } from "../../../src/apiserver/kinds/event.ts";
import { JOBS } from "../../../src/apiserver/kinds/job.ts";
import { LEASES } from "../../../src/apiserver/kinds/lease.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import type { ResourceKind } from "../../../src/apiserver/resource_kind.ts";
import { decodeObject, type DecodeOptions, parseYaml } from "../../../src/apiserver/schema/decode.ts";
import { table } from "../../support/table.ts";
import { test } from "../../support/test.ts";
import { inProportion } from "../support/in_proportion.ts";

function decode(text: string, options: DecodeOptions = {}) {
  return decodeObject(new TextEncoder().encode(text), JOBS, { knownKinds: BUILT_IN_KINDS, ...options });
}

test("a YAML body is read as its JSON would be", () => {
  const yaml = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {future: 1}}, nope: 1}\n";
  const { object, warnings } = decode(yaml, { contentType: "application/yaml" });
  assertEquals(object.spec.template.spec.future, 1);
  assertEquals(new Set(warnings), new Set(['unknown field "spec.nope"', 'unknown field "spec.template.spec.future"']));
});

test("a body without apiVersion and kind is what its path says", () => {
  const { object } = decode('{"metadata":{"name":"j"}}');
  assertEquals([object.apiVersion, object.kind], ["batch/v1", "Job"]);
});

test("a body that says nothing is an object of nothing", () => {
  const yaml = { contentType: "application/yaml" };
  for (const { object } of [decode("null"), decode("", yaml), decode("null", yaml)]) {
    assertEquals([object.apiVersion, object.kind, object.metadata?.name], ["batch/v1", "Job", undefined]);
  }
});

const PROTOBUF: DecodeOptions = { contentType: "application/vnd.kubernetes.protobuf" };

const REFUSED: readonly (readonly [title: string, text: string, options: DecodeOptions, why: string])[] = [
  [
    "an unknown field, strictly",
    '{"nope":1,"spec":{"suspend":true,"suspend":false}}',
    { fieldValidation: "Strict" },
    'unknown field "nope"',
  ],
  ["another kind", '{"apiVersion":"v1","kind":"Pod"}', {}, "kind in the data (Pod)"],
  ["a list of its kind", '{"apiVersion":"batch/v1","kind":"JobList"}', {}, "kind in the data (JobList)"],
  ["a version of too many parts", '{"apiVersion":"a/b/c","kind":"Job"}', {}, "API version in the data (a/b/c)"],
  ["a version that every object has", '{"apiVersion":"constructor","kind":"Job"}', {}, "(constructor)"],
  ["a list", "[]", {}, "must be an object, not array"],
  ["an empty body", "", {}, "must be an object of kind Job"],
  ["a kind that is no text", '{"kind":{"toString":1}}', {}, "kind: must be a string, not object"],
  ["a body that is no protobuf", "{}", PROTOBUF, "protobuf"],
  ["protobuf without a byte", "", PROTOBUF, "empty data"],
  ["the first four bytes of protobuf alone", "k8s\0", PROTOBUF, "empty body"],
  ["protobuf that ends early", "k8s\0\n", PROTOBUF, "index out of range"],
  ["protobuf whose object ends early", "k8s\0\x12\x01\n", PROTOBUF, "index out of range"],
  ["protobuf of a type that there is not", "k8s\0\x12\x01\x7f", PROTOBUF, "wire type 7"],
];

for (const [title, text, options, why] of REFUSED) {
  test(`a body is refused for ${title}`, () => {
    assertEquals(assertThrows(() => decode(text, options), Refusal, why).code, 400);
  });
}

const OTHER_VERSIONS: readonly (readonly [of: ResourceKind, apiVersion: string, expected: string])[] = [
  [CRON_JOBS, "batch/v1beta1", "batch/v1"],
  [LEASES, "coordination.k8s.io/v1beta1", "coordination.k8s.io/v1"],
  [EVENTS, "events.k8s.io/v1", "v1"],
  [EVENTS, "events.k8s.io/v1beta1", "v1"],
  [EVENTS_V1, "v1", "events.k8s.io/v1"],
  [CUSTOM_RESOURCE_DEFINITIONS, "apiextensions.k8s.io/v1beta1", "apiextensions.k8s.io/v1"],
];

for (const [kind, apiVersion, expected] of OTHER_VERSIONS) {
  test(`a ${kind.kind} of ${apiVersion} is one of another version than ${expected}`, () => {
    const body = new TextEncoder().encode(JSON.stringify({ apiVersion, kind: kind.kind }));
    const refusal = assertThrows(() => decodeObject(body, kind, { knownKinds: BUILT_IN_KINDS }), Refusal);
    const why = `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`;
    assertEquals([refusal.code, refusal.message], [400, why]);
  });
}

test("repeated and unknown fields are reported, of JSON and of YAML", () => {
  const text = '{"metadata":{"name":"a","name":"b"},"nope":1,"spec":{"suspend":true,"suspend":true}}';
  assertEquals(decode(text).warnings, [
    'duplicate field "metadata.name"',
    'duplicate field "spec.suspend"',
    'unknown field "nope"',
  ]);
  const yaml: DecodeOptions = { contentType: "application/yaml", fieldValidation: "Strict" };
  const refusal = assertThrows(() => decode("nope: 1\nmetadata:\n  name: a\n  name: b\n", yaml), Refusal);
  assertEquals(refusal.message, 'strict decoding error: line 4: key "name" already set in map, unknown field "nope"');
});

test("a key that YAML gives twice is reported, and the last one counts", () => {
  const { object, warnings } = decode("metadata:\n  name: a\n  name: b\n", { contentType: "application/yaml" });
  assertEquals(object.metadata.name, "b");
  assertEquals(warnings, ['line 3: key "name" already set in map']);
});

test("what is JSON is read as YAML is, and so is what YAML alone says of it", () => {
  for (const text of ['{"a":1,"b":{"c":"d"},"a":2}', '{"a":1,"b":{"c":"d"},"a":2} # comment']) {
    assertEquals(parseYaml(text), {
      value: { a: 2, b: { c: "d" } },
      duplicates: ['line 1: key "a" already set in map'],
    });
  }
  assertEquals(parseYaml('{"a":1,"b":[1.5,null]}\n'), { value: { a: 1, b: [1.5, null] }, duplicates: [] });
});

test("keys that YAML gives twice are shown in the order of the text, wherever they stand", () => {
  const text = "a: {x: 1, x: 2}\nb:\n- c: 1\n  c: 2\na: 1\n2: x\n2: y\n";
  const repeated = [[1, "x"], [4, "c"], [5, "a"], [7, "2"]].map(([line, key]) =>
    `line ${line}: key "${key}" already set in map`
  );
  assertEquals(parseYaml(text).duplicates, repeated);
});

test("YAML that cannot be read is refused for its first fault, and where that is", () => {
  const refusal = assertThrows(() => parseYaml("a: 1\nb: [1, 2\nc: }\n"), Error);
  assertEquals(
    refusal.message,
    "Flow sequence in block collection must be sufficiently indented and end with a ] at line 3, column 1",
  );
});

table<[size: number, text: (size: number) => string]>("YAML is read in time that grows with it", [
  ["keys", 2_000, (size) => `${numbered(size, (index) => `k${index}: v`).join("\n")}\n`],
  ["keys of JSON", 5_000, (size) => `{${numbered(size, (index) => `"k${index}": "v"`).join()}}`],
  [
    "keys of JSON, of which one stands there twice",
    2_000,
    (size) => `{${numbered(size, (index) => `"k${index || 1}": "v"`).join()}}`,
  ],
  ["one key over and over", 2_000, (size) => "k: v\n".repeat(size)],
  ["faults in one line", 1_000, (size) => `[${"a b: c: d,".repeat(size)}`],
], (size, textOf) => {
  inProportion(size, (count) => {
    const text = textOf(count);
    return () => {
      try {
        parseYaml(text);
      } catch (error) {
        return error;
      }
    };
  });
});

function numbered(size: number, item: (index: number) => string): string[] {
  return Array.from({ length: size }, (_, index) => item(index));
}
