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
  assertEquals(warnings, ['unknown field "spec.nope"', 'unknown field "spec.template.spec.future"']);
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

const REFUSED: [string, string, DecodeOptions, string][] = [
  [
    "an unknown field, strictly",
    '{"nope":1,"spec":{"suspend":true,"suspend":false}}',
    { fieldValidation: "Strict" },
    'Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "nope", duplicate field "spec.suspend"',
  ],
  [
    "another kind",
    '{"apiVersion":"v1","kind":"Pod"}',
    {},
    'Pod in version "v1" cannot be handled as a Job: converting (v1.Pod) to (batch.Job): unknown conversion',
  ],
  [
    "an unknown kind",
    '{"apiVersion":"x/v2","kind":"Y"}',
    {},
    'Y in version "v2" cannot be handled as a Job: no kind "Y" is registered for version "x/v2" in scheme ' +
    '"pkg/api/legacyscheme/scheme.go:30"',
  ],
  [
    "a kind that Kubernetes has, and this server does not",
    '{"apiVersion":"apps/v1","kind":"Deployment"}',
    {},
    'Deployment in version "v1" cannot be handled as a Job: converting (v1.Deployment) to (batch.Job): unknown conversion',
  ],
  [
    "a list of its kind",
    '{"apiVersion":"batch/v1","kind":"JobList"}',
    {},
    'JobList in version "v1" cannot be handled as a Job: converting (v1.JobList) to (batch.Job): unknown conversion',
  ],
  [
    "a list of anything",
    '{"apiVersion":"v1","kind":"List"}',
    {},
    'List in version "v1" cannot be handled as a Job: converting (v1.List) to (batch.Job): unknown conversion',
  ],
  [
    "a list of anything in a version that has none",
    '{"apiVersion":"batch/v1","kind":"List"}',
    {},
    'List in version "v1" cannot be handled as a Job: no kind "List" is registered for version "batch/v1" in scheme ' +
    '"pkg/api/legacyscheme/scheme.go:30"',
  ],
  [
    "a list of what has no lists",
    '{"apiVersion":"v1","kind":"StatusList"}',
    {},
    'StatusList in version "v1" cannot be handled as a Job: no kind "StatusList" is registered for version "v1" in ' +
    'scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
  [
    "a version that every JavaScript object has",
    '{"apiVersion":"constructor","kind":"Job"}',
    {},
    'Job in version "constructor" cannot be handled as a Job: no kind "Job" is registered for version "constructor" in ' +
    'scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
  [
    "options",
    '{"apiVersion":"batch/v1","kind":"DeleteOptions"}',
    {},
    'DeleteOptions in version "v1" cannot be handled as a Job: converting (v1.DeleteOptions) to (batch.Job): ' +
    "unknown conversion",
  ],
  [
    "a definition, which another server reads",
    '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"}',
    {},
    'CustomResourceDefinition in version "v1" cannot be handled as a Job: no kind "CustomResourceDefinition" is ' +
    'registered for version "apiextensions.k8s.io/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
  [
    "a version of too many parts",
    '{"apiVersion":"a/b/c","kind":"Job"}',
    {},
    "the object provided is unrecognized (must be of type Job): unexpected GroupVersion string: a/b/c " +
    '({"apiVersion":"a/b/c","kind":" ...)',
  ],
  [
    "a list",
    "[]",
    {},
    "the object provided is unrecognized (must be of type Job): couldn't get version/kind; json parse error: json: " +
    'cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
    'Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
  ],
  [
    "what is no protobuf",
    "{}",
    PROTOBUF,
    "the object provided is unrecognized (must be of type Job): provided data does not appear to be a protobuf " +
    "message, expected prefix [107 56 115 0] ({})",
  ],
  ["no protobuf", "", PROTOBUF, "the object provided is unrecognized (must be of type Job): empty data (<empty>)"],
  [
    "protobuf's first four bytes alone",
    "k8s\0",
    PROTOBUF,
    "the object provided is unrecognized (must be of type Job): empty body (6b387300)",
  ],
  [
    "protobuf that ends early",
    "k8s\0\n",
    PROTOBUF,
    "the object provided is unrecognized (must be of type Job): unexpected EOF (6b3873000a)",
  ],
  [
    "protobuf whose object ends early",
    "k8s\0\x12\x01\n",
    PROTOBUF,
    'Job in version "v1" cannot be handled as a Job: unexpected EOF',
  ],
  [
    "protobuf of a type that there is not",
    "k8s\0\x12\x01\x7f",
    PROTOBUF,
    'Job in version "v1" cannot be handled as a Job: proto: illegal wireType 7',
  ],
  [
    "an empty body",
    "",
    {},
    "the object provided is unrecognized (must be of type Job): couldn't get version/kind; json parse error: unexpected end of " +
    "JSON input (<empty>)",
  ],
  [
    "a kind that is no text, of which no more is shown than its start",
    '{"kind":{"toString":1},"spec":{"password":"secret"}}',
    {},
    "the object provided is unrecognized (must be of type Job): couldn't get version/kind; json parse error: json: cannot " +
    'unmarshal object into Go struct field .kind of type string ({"kind":{"toString":1},"spec": ...)',
  ],
];

for (const [title, text, options, message] of REFUSED) {
  test(`a body is refused for ${title}`, () => {
    const refusal = assertThrows(() => decode(text, options), Refusal);
    assertEquals([refusal.code, refusal.message], [400, message]);
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

test("what is wrong with fields is reported in the text's order, and nothing of what is inside unknown ones", () => {
  const text =
    '{"metadata":{"name":"a","name":"b"},"nope":{"x":1,"x":2},"nope":1,"spec":{"suspend":true,"suspend":true}}';
  assertEquals(decode(text).warnings, [
    'duplicate field "metadata.name"',
    'unknown field "nope"',
    'duplicate field "spec.suspend"',
  ]);
});

test("all keys that YAML gives twice are one error, and unknown fields come after it in order", () => {
  const text = "nope: 1\nmetadata:\n  name: a\n  name: b\n  'name': c\nanother: 1\n";
  const refusal = assertThrows(
    () => decode(text, { contentType: "application/yaml", fieldValidation: "Strict" }),
    Refusal,
  );
  assertEquals(
    refusal.message,
    'Job in version "v1" cannot be handled as a Job: strict decoding error: yaml: unmarshal errors:\n' +
      '  line 4: key "name" already set in map\n  line 5: key "name" already set in map, ' +
      'unknown field "another", unknown field "nope"',
  );
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
  const told = [[1, "x"], [4, "c"], [5, "a"], [7, "2"]].map(([line, key]) =>
    `line ${line}: key "${key}" already set in map`
  );
  assertEquals(parseYaml(text).duplicates, told);
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
