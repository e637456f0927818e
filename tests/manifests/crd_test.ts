import { assert, assertEquals } from "@std/assert";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { CRONJOB_CRD } from "../support/crds.ts";
import { DEFINED_FLAVOURS, definitionOf } from "../../src/cronjob/api/crd.ts";

interface Version {
  subresources: unknown;
  storage: boolean;
  schema: { openAPIV3Schema: { properties: { spec: { properties: Record<string, Field>; required: string[] } } } };
}

type Field = Record<string, unknown>;

test("the CRD has the markers of the Kubebuilder tutorial", () => {
  const { group, scope, names, versions } = CRONJOB_CRD.spec as {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: Version[];
  };
  assertEquals([group, scope, names.kind, names.plural], [
    "batch.tutorial.kubebuilder.io",
    "Namespaced",
    "CronJob",
    "cronjobs",
  ]);
  assertEquals(versions.length, 1);
  assertEquals(must(versions[0]).storage, true);
  // +kubebuilder:subresource:status
  assertEquals(must(versions[0]).subresources, { status: {} });

  const { properties, required } = must(versions[0]).schema.openAPIV3Schema.properties.spec;
  const markers = (name: string) => {
    const { description: _, default: __, maxLength: ___, "x-kubernetes-validations": ____, ...rest } = must(
      properties[name],
    );
    return rest;
  };
  // +kubebuilder:validation:MinLength=0
  assertEquals(markers("schedule"), { type: "string", minLength: 0 });
  // +kubebuilder:validation:Minimum=0
  assertEquals(markers("startingDeadlineSeconds"), { type: "integer", format: "int64", minimum: 0 });
  assertEquals(markers("successfulJobsHistoryLimit"), { type: "integer", format: "int32", minimum: 0 });
  assertEquals(markers("failedJobsHistoryLimit"), { type: "integer", format: "int32", minimum: 0 });
  // +kubebuilder:validation:Enum=Allow;Forbid;Replace, and one of ours.
  assertEquals(markers("concurrencyPolicy"), { type: "string", enum: ["Allow", "Forbid", "Replace", "Queue"] });
  assertEquals(markers("suspend"), { type: "boolean" });
  // All others are +optional.
  assertEquals(required, ["schedule", "jobTemplate"]);
});

interface Rule {
  readonly rule: string;
  readonly message: string;
  /** Of the text itself, and how often there can be one. */
  readonly maxLength: number;
  readonly count: number;
}

function rulesIn(schema: Json, count = 1): Rule[] {
  const { "x-kubernetes-validations": rules = [], maxLength, items, maxItems, properties = {} } = schema;
  return [
    ...rules.map((rule: Json) => ({ ...rule, maxLength, count })),
    ...items ? rulesIn(items, count * maxItems) : [],
    ...Object.values(properties).flatMap((property) => rulesIn(property as Json, count)),
  ];
}

// deno-lint-ignore no-explicit-any
type Json = Record<string, any>;

/** How cel-go estimates `self.matches(...)`; Kubernetes reckons with four bytes for each character. */
function costOf({ rule, maxLength, count }: Rule): number {
  const [, pattern = ""] = /^self\.matches\(r'([^']*)'\)$/.exec(rule) ?? [];
  assert(pattern !== "", `${rule} is more than one expression that matches`);
  return (Math.ceil((maxLength * 4 + 1) * 0.1) * Math.ceil(new TextEncoder().encode(pattern).length * 0.25) + 2) *
    count;
}

for (const flavour of DEFINED_FLAVOURS) {
  test(`the CRD's rules stay within what API servers let rules cost, and answer in a sentence: ${flavour.controllerName}`, () => {
    const schema = (definitionOf(flavour).spec.versions as Json[])[0]!.schema.openAPIV3Schema;
    const rules = rulesIn(schema);
    assert(rules.length > 20, `${rules.length} rules`);
    const costs = rules.map(costOf);
    assert(Math.max(...costs) < 10_000_000, `one costs ${Math.max(...costs)}`);
    const sum = costs.reduce((a, b) => a + b);
    assert(sum < 100_000_000, `all cost ${sum}`);
    for (const { message } of rules) assert(/^[^\\^$\n]*must be [^\\^$\n]+$/.test(message), message);
    // A pattern would be reported beside the rule, as the expression that it is.
    assertEquals(JSON.stringify(schema).match(/"(pattern|allOf)":/g), null);
  });
}
