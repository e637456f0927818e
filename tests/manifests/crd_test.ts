import { assertEquals } from "@std/assert";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { CRONJOB_CRD } from "../support/crds.ts";

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
    const { description: _, default: __, allOf: ___, ...rest } = must(properties[name]);
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
