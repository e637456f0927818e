import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { BUILT_IN_KINDS } from "../../../src/apiserver/kinds/all.ts";
import { customKind } from "../../../src/apiserver/kinds/custom.ts";
import { openApiDocument, openApiIndex } from "../../../src/apiserver/openapi/open_api.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { test } from "../../support/test.ts";
import { WIDGETS } from "../support/widgets.ts";

test("every reference in every OpenAPI document leads somewhere", () => {
  const kinds = [...BUILT_IN_KINDS, customKind(WIDGETS, "v1")];
  for (const path of Object.keys(openApiIndex(kinds).paths)) {
    const document = openApiDocument(kinds, path)!;
    for (
      const [, name = ""] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
    ) {
      assert(document.components.schemas[name], `${path} refers to ${name}`);
    }
  }
});

test("a kind's path names the kind, and what the server takes with a patch", () => {
  const { paths } = openApiDocument(BUILT_IN_KINDS, "apis/batch/v1")!;
  const { patch } = paths["/apis/batch/v1/namespaces/{namespace}/cronjobs/{name}"];
  assertEquals(patch["x-kubernetes-group-version-kind"], { group: "batch", kind: "CronJob", version: "v1" });
  assertEquals(patch.parameters.map(({ name }: Json) => name), ["dryRun", "fieldManager", "fieldValidation", "force"]);
});

test("schemas say what strategic merge patches merge", () => {
  const { schemas } = openApiDocument(BUILT_IN_KINDS, "api/v1")!.components;
  const { containers } = schemas["io.k8s.api.core.v1.PodSpec"].properties;
  assertEquals(containers["x-kubernetes-patch-merge-key"], "name");
  assertEquals(containers["x-kubernetes-patch-strategy"], "merge");
});

test("a definition's document has its schema, and another hash once that changes", () => {
  const kind = customKind(WIDGETS, "v1");
  const { schemas } = openApiDocument([kind], "apis/example.com/v1")!.components;
  const widget = schemas["com.example.v1.Widget"];
  assertEquals(widget.properties.spec.properties.size, { type: "integer", minimum: 1, default: 3 });
  assertEquals(widget["x-kubernetes-group-version-kind"], [{ group: "example.com", kind: "Widget", version: "v1" }]);
  const changed = structuredClone(WIDGETS);
  changed.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.minimum = 2;
  const hash = (definition: Json) => openApiIndex([customKind(definition, "v1")]).paths["apis/example.com/v1"];
  assertEquals(hash(WIDGETS), hash(WIDGETS));
  assertNotEquals(hash(WIDGETS), hash(changed));
});
