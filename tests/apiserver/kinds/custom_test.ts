import { assertEquals } from "@std/assert";
import { customKind } from "../../../src/apiserver/kinds/custom.ts";
import { CUSTOM_RESOURCE_DEFINITIONS, ruleAdvice } from "../../../src/apiserver/kinds/custom_resource_definition.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { table } from "../../support/table.ts";
import { test } from "../../support/test.ts";
import { WIDGETS } from "../support/widgets.ts";
import { shown } from "../support/made.ts";

const KIND = customKind(WIDGETS, "v1");
const NOW = Date.parse("2026-01-02T03:04:05Z");

function widget(spec: Json, more: Json = {}): Json {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "n" }, spec, ...more };
}

function errorsOf(spec: Json): string[] {
  return shown(KIND.validate(widget(spec)));
}

test("a custom object is pruned to its schema, and what is lost is named", () => {
  const { object, unknownFields } = KIND.read(widget({
    size: 1,
    nope: 1,
    parts: [{ name: "a", extra: {} }],
    labels: { any: "key" },
    template: { anything: { goes: true } },
  }, { other: 1 }));
  assertEquals(unknownFields, ["other", "spec.nope", "spec.parts[0].extra"]);
  assertEquals(object.spec, {
    size: 1,
    parts: [{ name: "a" }],
    labels: { any: "key" },
    template: { anything: { goes: true } },
  });
});

test("defaults reach into lists, and nulls count as nothing where null cannot be", () => {
  const object = widget({ size: null, colour: null, code: null, parts: [{ name: "a" }, { name: "b", weight: 2 }] });
  KIND.setDefaults(object);
  assertEquals(object.spec, {
    size: 3,
    colour: null,
    parts: [{ name: "a", weight: 1 }, { name: "b", weight: 2 }],
  });
});

const INVALID: [string, Json, string[]][] = [
  ["a missing field", {}, ["spec.size: Required value"]],
  ["a number below the minimum", { size: 0 }, [
    "spec.size: Invalid value",
  ]],
  ["text for a number", { size: "1" }, [
    "spec.size: Invalid value",
  ]],
  ["what is not in the enum", { size: 1, colour: "blue" }, [
    "spec.colour: Unsupported value",
  ]],
  ["text that is too short and doesn't match", { size: 1, code: "1" }, [
    "spec.code: Invalid value",
    "spec.code: Invalid value",
  ]],
  ["text that is too long", { size: 1, code: "abcde" }, ["spec.code: Too long"]],
  ["too many keys", { size: 1, labels: { a: "", b: "", c: "" } }, [
    "spec.labels: Too many",
  ]],
  ["a set with something twice", { size: 1, tags: ["a", "b", "a"] }, ["spec.tags[2]: Duplicate value"]],
  ["two items with the same key", { size: 1, parts: [{ name: "a" }, { name: "a" }] }, [
    "spec.parts[1]: Duplicate value",
  ]],
  ["an empty list that must not be", { size: 1, parts: [] }, [
    "spec.parts: Invalid value",
  ]],
  ["an excluded maximum", { size: 1, ratio: 1 }, [
    "spec.ratio: Invalid value",
  ]],
  ["no multiple", { size: 1, ratio: 0.3 }, [
    "spec.ratio: Invalid value",
  ]],
  ["none of anyOf", { size: 1, either: "abc" }, [
    "<nil>: Invalid value",
    "spec.either: Too long",
  ]],
  ["neither a number nor text", { size: 1, port: true }, [
    "spec.port: Invalid value",
  ]],
];

for (const [title, spec, errors] of INVALID) {
  test(`a custom object's validation names ${title}`, () => assertEquals(errorsOf(spec), errors));
}

test("a custom object that is right has no errors", () => {
  assertEquals(errorsOf({ size: 2, colour: null, code: "abc", port: "http", ratio: 0.75, tags: ["a", "b"] }), []);
});

test("a write to the status changes nothing but that", () => {
  const old = widget({ size: 1 }, { status: { since: "2026-01-01T00:00:00Z" } });
  const object = widget({ size: 9 }, { status: { since: "2026-01-02T00:00:00Z" } });
  object.metadata.labels = { from: "status" };
  KIND.prepareForStatusUpdate(object, old);
  assertEquals(object, widget({ size: 1 }, { status: { since: "2026-01-02T00:00:00Z" } }));
});

test("the columns of a definition are found by JSONPath", () => {
  const object = widget({ size: 2 }, {
    status: {
      since: "2026-01-02T03:00:00Z",
      conditions: [{ type: "Other", status: "False" }, { type: "Ready", status: "True" }],
    },
  });
  assertEquals(KIND.table.row(object, NOW).cells, ["w", 2, "True", "4m5s"]);
  assertEquals(KIND.table.row(widget({}), NOW).cells, ["w", null, null, null]);
  assertEquals(KIND.table.columns.map(({ name, priority }) => [name, priority]), [
    ["Name", 0],
    ["Size", 0],
    ["Ready", 0],
    ["Since", 1],
  ]);
});

test("a definition that cannot be served is refused, and the reasons are named", () => {
  const definition = structuredClone(WIDGETS);
  definition.metadata.name = "gadgets.example.com";
  definition.spec.scope = "Galaxy";
  const [version] = definition.spec.versions;
  version.storage = false;
  const { spec } = version.schema.openAPIV3Schema.properties;
  delete spec.properties.size.type;
  spec.properties.code.pattern = "(";
  const errors = CUSTOM_RESOURCE_DEFINITIONS.validate(withDefaults(definition));
  const root = "spec.versions[0].schema.openAPIV3Schema.properties[spec]";
  assertEquals(errors.map(({ field }) => field), [
    "metadata.name",
    "spec.scope",
    "spec.versions",
    `${root}.properties[size].type`,
    `${root}.properties[code].pattern`,
  ]);
  assertEquals(CUSTOM_RESOURCE_DEFINITIONS.validate(withDefaults(WIDGETS)), []);
});

test("a definition that asks for what the server hasn't is taken, with a warning", () => {
  const definition = structuredClone(WIDGETS);
  const [version] = definition.spec.versions;
  version.schema.openAPIV3Schema.properties.spec["x-kubernetes-validations"] = [{ rule: "self.size > 0" }];
  version.subresources.scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
  assertEquals(CUSTOM_RESOURCE_DEFINITIONS.validate(withDefaults(definition)), []);
  assertEquals(CUSTOM_RESOURCE_DEFINITIONS.warnings(definition, undefined), [
    "spec.versions[0].subresources.scale: the embedded API server has no scale subresource",
  ]);
  assertEquals(ruleAdvice()(definition, NOW), [
    "spec.versions[0].schema: the embedded API server does not evaluate its CEL rule",
  ]);
});

function withDefaults(definition: Json): Json {
  const object = structuredClone(definition);
  CUSTOM_RESOURCE_DEFINITIONS.setDefaults(object);
  return object;
}

/** A stored object that the schema would refuse, what it is changed to, and what is refused of that. */
const CHANGES: readonly (readonly [what: string, old: Json, next: Json, refused: string[]])[] = [
  ["another field changes", { size: 0, code: "abc" }, { size: 0, code: "abcd" }, []],
  ["another field changes badly", { size: 0, code: "abc" }, { size: 0, code: "abcde" }, ["spec.code"]],
  ["the field itself changes, badly again", { size: 0 }, { size: -1 }, ["spec.size"]],
  ["the field itself is mended", { size: 0 }, { size: 1 }, []],
  ["what was right becomes wrong", { size: 1 }, { size: 0 }, ["spec.size"]],
  ["a required field is missing, and nothing beside it changes", { code: "ab" }, { code: "ab" }, []],
  ["a required field is missing, and something beside it changes", { code: "ab" }, { code: "abc" }, ["spec.size"]],
  [
    "a list item moves to another place, which its key shows",
    {
      size: 1,
      parts: [{ name: "a" }, { name: "b", weight: "1" }],
    },
    { size: 1, parts: [{ name: "b", weight: "1" }, { name: "c" }] },
    [],
  ],
  ["a bad list item is new", { size: 1, parts: [{ name: "a" }] }, { size: 1, parts: [{ name: "b", weight: "1" }] }, [
    "spec.parts[0].weight",
  ]],
  ["too many items, to which one more is added", { size: 1, tags: ["a", "b", "c", "d"] }, {
    size: 1,
    tags: ["a", "b", "c", "d", "e"],
  }, ["spec.tags"]],
  ["too many items, and none changes", { size: 1, tags: ["a", "b", "c", "d"] }, {
    size: 2,
    tags: ["a", "b", "c", "d"],
  }, []],
];

table("a change is judged by what it changes, whatever was wrong before", CHANGES, (old, next, refused) => {
  const errors = KIND.validateUpdate(widget(next), widget(old));
  assertEquals(errors.map(({ field }) => field), refused);
});

test("a status write is not judged by what is wrong with the spec, nor by what was wrong with the status", () => {
  const stored = widget({ size: 0 }, { status: { since: "yesterday" } });
  const write = (status: Json) =>
    KIND.validateStatusUpdate(widget({ size: 0 }, { status }), stored).map(({ field }) => field);
  assertEquals(write({ since: "yesterday", conditions: [{ type: "Ready" }] }), []);
  assertEquals(write({ since: "today" }), ["status.since"]);
});
