import type { Json } from "../../../src/apiserver/resource_kind.ts";

/** A definition that has one of everything. */
export const WIDGETS: Json = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList", shortNames: ["wd"] },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {} },
      additionalPrinterColumns: [
        { name: "Size", type: "integer", jsonPath: ".spec.size" },
        { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        { name: "Since", type: "date", jsonPath: ".status.since", priority: 1 },
      ],
      schema: {
        openAPIV3Schema: {
          type: "object",
          required: ["spec"],
          properties: {
            spec: {
              type: "object",
              required: ["size"],
              properties: {
                size: { type: "integer", minimum: 1, default: 3 },
                colour: { type: "string", enum: ["red", "green"], nullable: true },
                code: { type: "string", pattern: "^[a-z]+$", minLength: 2, maxLength: 4 },
                port: { "x-kubernetes-int-or-string": true },
                labels: { type: "object", additionalProperties: { type: "string" }, maxProperties: 2 },
                tags: { type: "array", items: { type: "string" }, maxItems: 3, "x-kubernetes-list-type": "set" },
                parts: {
                  type: "array",
                  minItems: 1,
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["name"],
                  items: {
                    type: "object",
                    required: ["name"],
                    properties: { name: { type: "string" }, weight: { type: "number", default: 1 } },
                  },
                },
                template: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                ratio: { type: "number", maximum: 1, exclusiveMaximum: true, multipleOf: 0.25 },
                either: { type: "string", anyOf: [{ maxLength: 1 }, { minLength: 5 }] },
              },
            },
            status: {
              type: "object",
              properties: {
                since: { type: "string", format: "date-time" },
                conditions: {
                  type: "array",
                  items: { type: "object", properties: { type: { type: "string" }, status: { type: "string" } } },
                },
              },
            },
          },
        },
      },
    }],
  },
};
