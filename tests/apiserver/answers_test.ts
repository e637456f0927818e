import { assertEquals } from "@std/assert";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";
import { readBy } from "./support/read_by.ts";
import type { Json } from "../../src/apiserver/resource_kind.ts";

const MAPS = "/api/v1/namespaces/default/configmaps", MAP = `${MAPS}/a`;
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets", WIDGET = `${WIDGETS}/a`;
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const REVIEWS = "/apis/authorization.k8s.io/v1";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MERGE = "application/merge-patch+json", STRATEGIC = "application/strategic-merge-patch+json";
const JSON_PATCH = "application/json-patch+json", APPLY = "application/apply-patch+yaml";
const READABLE = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const NO_PAGE = "404 page not found\n";

const as = (kind: string, version = "v1") => ({ accept: `application/json;as=${kind};g=meta.k8s.io;v=${version}` });
const widget = (more: Json) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, ...more });
const map = (more: Json) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, ...more });
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "1" };

interface Answer {
  readonly code: number;
  readonly body: Json;
  readonly text: string;
  readonly warnings: string | undefined;
}

interface Asked {
  readonly type?: string;
  readonly accept?: string;
  readonly body?: unknown;
}

type Row = readonly [request: string, asked: Asked, code: number, what: string | ((answer: Answer) => unknown[])];

const AB = { a: { type: "string" }, b: { type: "string" } };

/** A definition whose names are those of another. */
const GADGETS: Json = {
  metadata: { name: "gadgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "gadgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

/** What is there before the first row. */
const BEFORE: readonly (readonly [path: string, body: Json])[] = [
  [MAPS, { metadata: { name: "a", uid: "ignored" } }],
  [JOBS, {
    metadata: { name: "held", finalizers: ["example.com/held"] },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } },
  }],
  [PODS, { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "a" }] } }],
  [PODS, {
    metadata: { name: "gated" },
    spec: { containers: [{ name: "a", image: "a" }], schedulingGates: [{ name: "x" }] },
  }],
  [DEFINITIONS, {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: ["v1beta1", "v2", "v1"].map((name) => ({
        name,
        served: true,
        storage: name === "v1",
        deprecated: name === "v1beta1",
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer" },
                  set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
                  one: { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }], properties: AB },
                  all: { type: "integer", allOf: [{ minimum: 2 }, { maximum: 1 }] },
                  not: { type: "string", not: { enum: ["x"] } },
                  ...(name === "v2" && { added: { type: "string", default: "x" } }),
                },
              },
            },
          },
        },
      })),
    },
  }],
  [WIDGETS, widget({ spec: { size: 1 } })],
];
const ROWS: readonly Row[] = [
  // What there is: go-restful's routes, and apiextensions `crdHandler`.
  // An object that is in a namespace has no path outside; what could be there at all, a method does not make so.
  ["GET /api/v1/pods/p", {}, 404, "NotFound"],
  ["DELETE /apis/batch/v1/jobs/held", {}, 404, "NotFound"],
  ["GET /api/v1/pods/p/log", {}, 404, "NotFound"],
  ["GET /apis/batch/v1/jobs/held/status", {}, 404, "NotFound"],
  // The old path of a watch.
  ["GET /api/v1/watch/namespaces/default/configmaps", {}, 404, "NotFound"],
  ["POST /api/v1/pods", { body: {} }, 405, "MethodNotAllowed"],
  ["DELETE /api/v1/pods", {}, 405, "MethodNotAllowed"],
  ["GET /livez/ping", {}, 200, "ok"],
  ["POST /healthz", {}, 200, "ok"],
  ["GET /healthz/nope", {}, 404, NO_PAGE],
  ["GET /healthz/", {}, 404, NO_PAGE],
  ["GET /livez?verbose", {}, 200, "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n"],
  ["GET /api", {}, 200, ({ body: { serverAddressByClientCIDRs: [found] } }) => [
    /^127\.0\.0\.1:\d+$/.test(found.serverAddress),
    true,
  ]],
  ["GET /api", { accept: "text/plain" }, 406, "NotAcceptable"],
  ["GET /api/v1", { accept: "text/plain" }, 406, "NotAcceptable"],
  ["GET /apis", { accept: "text/plain" }, 406, "NotAcceptable"],
  ["GET /apis/batch", { accept: "text/plain" }, 406, "NotAcceptable"],
  ["GET /apis/batch/v1", as("Table"), 406, "NotAcceptable"],
  ["GET /apis/batch/v1", { accept: `${as("Table").accept},*/*` }, 200, ({ body }) => [body.kind, "APIResourceList"]],
  [
    "GET /apis/batch",
    { accept: "application/yaml" },
    200,
    "apiVersion: v1\nkind: APIGroup\nname: batch\npreferredVersion:\n  groupVersion: batch/v1\n  version: v1\n" +
    "versions:\n- groupVersion: batch/v1\n  version: v1\n",
  ],
  [`HEAD ${MAPS}`, {}, 405, () => []],
  ["GET /apis/batch/v2/jobs", {}, 404, "NotFound"],
  ["GET /apis/example.com/v9", {}, 404, NO_PAGE],
  ["GET /apis/example.com/v1/nopes", {}, 404, NO_PAGE],
  ["GET /apis/example.com/v9/widgets", {}, 404, NO_PAGE],
  ["GET /apis/example.com/v1/widgets/a", {}, 404, "NotFound"],
  ["DELETE /apis/example.com/v1/widgets", {}, 405, "MethodNotAllowed"],
  [`POST ${WIDGET}/status`, { body: {} }, 405, "MethodNotAllowed"],
  [`PUT ${WIDGETS}`, { body: {} }, 405, "MethodNotAllowed"],
  [`PATCH ${WIDGETS}`, { type: MERGE, body: {} }, 405, "MethodNotAllowed"],
  ["GET /apis/example.com", {}, 200, ({ body }) => [
    body.versions.map(({ version }: Json) => version).join(),
    "v2,v1,v1beta1",
    body.preferredVersion.version,
    "v2",
  ]],
  ["GET /apis/example.com/v1beta1/widgets", {}, 200, ({ warnings }) => [
    warnings,
    '299 - "example.com/v1beta1 Widget is deprecated; use example.com/v2 Widget"',
  ]],
  // What an answer can be: negotiation `NegotiateOutputMediaType`, `doTransformObject`.
  [`GET ${MAP}`, { accept: "application/json;stream=nope" }, 406, "NotAcceptable"],
  [`GET ${MAP}`, { accept: "application/json;sv=v2" }, 406, "NotAcceptable"],
  [`GET ${MAP}`, as("Table", "v2"), 406, "NotAcceptable"],
  [
    `GET ${MAP}`,
    as("PartialObjectMetadataList"),
    406,
    "NotAcceptable",
  ],
  [`GET ${MAPS}`, as("PartialObjectMetadata"), 406, "NotAcceptable"],
  [`GET ${MAP}`, as("Table"), 200, ({ body }) => [
    body.apiVersion,
    "meta.k8s.io/v1",
    body.rows[0].object.apiVersion,
    "meta.k8s.io/v1",
  ]],
  [
    `GET ${MAPS}?watch=1`,
    { accept: "application/yaml" },
    406,
    ({ text }) => [/json;stream=watch,\s+application\/vnd.kubernetes.protobuf;stream=watch/.test(text), true],
  ],
  [`GET ${WIDGET}`, { accept: "text/plain" }, 406, "NotAcceptable"],
  [`GET ${WIDGET}`, { accept: "application/vnd.kubernetes.protobuf,application/yaml;sv=v2" }, 406, ({ text }) => [
    text.includes(READABLE),
    true,
  ]],
  [`GET ${WIDGET}`, { accept: "application/*" }, 406, "NotAcceptable"],
  [
    `GET ${WIDGETS}`,
    as("PartialObjectMetadata"),
    406,
    "NotAcceptable",
  ],
  // What a request can be.
  [`GET ${MAP}?export=true`, {}, 400, "BadRequest"],
  [`GET ${MAPS}?fieldSelector=metadata.name=a%5Cb`, {}, 400, "BadRequest"],
  [`GET ${MAPS}?fieldSelector=metadata.name=a%5C`, {}, 400, "BadRequest"],
  [`GET ${MAPS}?fieldSelector=metadata.name=a=b`, {}, 400, "BadRequest"],
  ["GET /api/v1/namespaces?fieldSelector=metadata.namespace=a", {}, 200, ({ body }) => [body.items, []]],
  ["GET /api/v1/services?fieldSelector=nope=a", {}, 400, "BadRequest"],
  ["GET /api/v1/services?fieldSelector=spec.type=ClusterIP", {}, 200, ({ body }) => [body.kind, "ServiceList"]],
  [`POST ${MAPS}?dryRun=Nope`, { type: "text/plain", body: {} }, 415, "UnsupportedMediaType"],
  [`PATCH ${MAP}`, { type: "application/json", body: {} }, 415, "UnsupportedMediaType"],
  [`PATCH ${WIDGET}`, { type: STRATEGIC, body: {} }, 415, "UnsupportedMediaType"],
  // Handlers `createHandler`, registry `Store.Create`.
  ["POST /api/v1/namespaces", { body: { metadata: { name: "new", namespace: "x" } } }, 201, ({ body }) => [
    body.metadata.namespace,
    undefined,
  ]],
  [`POST ${MAPS}`, { body: { metadata: { name: "a", generateName: "a" } } }, 409, ({ body }) => [
    body.message,
    'configmaps "a" already exists, the server was not able to generate a unique name for the object',
    body.details.retryAfterSeconds,
    1,
  ]],
  [`POST ${MAPS}`, { body: { metadata: { resourceVersion: "5" } } }, 422, ({ body }) => [body.reason, "Invalid"]],
  [`POST ${MAPS}?dryRun=All`, { body: { metadata: { name: "b", resourceVersion: "5" } } }, 201, () => []],
  [
    `POST ${MAPS}?dryRun=All`,
    { body: { metadata: { name: "b", ownerReferences: [owner, owner] } } },
    201, //
    ({ body, warnings }) => [
      body.metadata.ownerReferences.length,
      1,
      warnings,
      '299 - "metadata.ownerReferences: owners that are named twice are kept once: 1"',
    ],
  ],
  [`POST ${WIDGETS}`, { body: {} }, 422, "Invalid metadata.name: FieldValueRequired"],
  // Handlers `UpdateResource`, registry `Store.Update`.
  [
    `PUT ${MAPS}/none`,
    { body: { metadata: { name: "b" } } },
    400, //
    "BadRequest",
  ],
  [
    `PUT ${MAPS}/none`,
    { body: {} },
    400, //
    "BadRequest",
  ],
  [
    `PUT ${WIDGET}`,
    { body: widget({ metadata: { name: "a", uid: "x" } }) },
    409,
    "Conflict",
  ],
  // Handlers `patch.go`.
  [`PATCH ${MAP}`, { type: MERGE, body: "" }, 400, "BadRequest"],
  [`PATCH ${MAP}`, { type: MERGE, body: [] }, 400, "BadRequest"],
  [`PATCH ${MAP}`, { type: MERGE, body: "null" }, 400, "BadRequest"],
  [`PATCH ${MAP}`, { type: STRATEGIC, body: [] }, 400, "BadRequest"],
  [`PATCH ${MAP}`, { type: STRATEGIC, body: "null" }, 200, () => []],
  [
    `PATCH ${MAP}`,
    { type: STRATEGIC, body: { data: "x" } },
    422,
    "Invalid patch: FieldValueInvalid",
  ],
  [
    `PATCH ${MAP}`,
    { type: STRATEGIC, body: { data: { a: 1 } } },
    422,
    "Invalid patch: FieldValueInvalid",
  ],
  [
    `PATCH ${MAP}`,
    { type: STRATEGIC, body: { metadata: { ownerReferences: ["x"] } } },
    422,
    "Invalid patch: FieldValueInvalid",
  ],
  [
    `PATCH ${MAP}`,
    { type: STRATEGIC, body: { metadata: { finalizers: {} } } },
    422,
    "Invalid patch: FieldValueInvalid",
  ],
  [
    `PATCH ${MAP}?fieldValidation=Strict`,
    { type: STRATEGIC, body: { nope: 1.5 } },
    422,
    "Invalid patch: FieldValueInvalid",
  ],
  [
    `PATCH ${MAP}`,
    { type: JSON_PATCH, body: {} },
    400, //
    "BadRequest",
  ],
  [
    `PATCH ${MAP}`,
    { type: JSON_PATCH, body: ["x"] },
    400, //
    "BadRequest",
  ],
  [
    `PATCH ${MAP}`,
    { type: JSON_PATCH, body: [{ op: 5 }] },
    400, //
    "BadRequest",
  ],
  [`PATCH ${MAP}`, { type: JSON_PATCH, body: "null" }, 200, () => []],
  [
    `PATCH ${MAP}`,
    { type: JSON_PATCH, body: '[{"op":"test","op":"add","path":"/kind","value":1,"x":2}]' },
    422, //
    ({ body }) => [body.message.endsWith("cannot unmarshal number into Go struct field .kind of type string"), false],
  ],
  [
    `PATCH ${MAP}?dryRun=All`,
    { type: JSON_PATCH, body: '[{"op":"add","op":"add","path":"/data","value":{}}]' }, //
    200,
    ({ warnings }) => [warnings, '299 - "duplicate field \\"[0].op\\""'],
  ],
  [
    `PATCH ${MAP}`,
    { type: JSON_PATCH, body: `[${Array(10001).fill('{"op":"x"}').join()}]` },
    413, //
    "RequestEntityTooLarge",
  ],
  [
    `PATCH ${WIDGET}`,
    { type: MERGE, body: { kind: "Other" } },
    422, //
    "Invalid patch: FieldValueInvalid",
  ],
  [
    `PATCH ${WIDGET}`,
    { type: MERGE, body: { apiVersion: "example.com/v8" } },
    422, //
    "Invalid patch: FieldValueInvalid",
  ],
  [
    `PATCH ${WIDGET}`,
    { type: MERGE, body: { metadata: { resourceVersion: null } } },
    422, //
    "Invalid metadata.resourceVersion: FieldValueInvalid",
  ],
  // Managedfields `structuredMergeManager`, structured-merge-diff `validatingObjectWalker`.
  [`PATCH ${MAP}?fieldManager=m`, { type: APPLY, body: "" }, 400, "BadRequest"],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: { kind: "ConfigMap" } },
    400, //
    "BadRequest",
  ],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: [] },
    400, //
    "BadRequest",
  ],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: map({ metadata: { managedFields: [] } }) },
    400, //
    "BadRequest",
  ],
  [`PATCH ${MAP}?fieldManager=m`, { type: APPLY, body: map({ metadata: { managedFields: null } }) }, 200, () => []],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: map({ metadata: { uid: "x" } }) },
    422,
    "Invalid metadata.uid: FieldValueInvalid",
  ],
  [
    `PATCH ${MAPS}/c?fieldManager=m`,
    { type: APPLY, body: map({ metadata: { name: "c", resourceVersion: "1" } }) },
    201, //
    () => [],
  ],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: map({ data: { a: 5 } }) },
    500,
    "",
  ],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: map({ data: "x", immutable: "y" }) },
    500,
    "",
  ],
  [
    `PATCH ${MAP}?fieldManager=m`,
    {
      type: APPLY,
      body: map({ metadata: { name: "a", ownerReferences: [owner, owner], finalizers: ["x/y", "x/y"], nope: 1 } }),
    },
    500,
    "",
  ],
  [
    `PATCH ${JOBS}/j?fieldManager=m`,
    {
      type: APPLY,
      body: {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "j" },
        spec: {
          backoffLimit: "2",
          template: { spec: { containers: [{ name: "a", env: [{ name: "A" }, { name: "A" }] }, { image: "a" }] } },
        },
      },
    },
    500,
    "",
  ],
  [
    `PATCH ${WIDGET}?fieldManager=m`,
    { type: APPLY, body: widget({ spec: { set: ["a", "a"] } }) },
    500,
    "",
  ],
  [
    `PATCH ${MAP}?fieldManager=m&dryRun=All`,
    {
      type: APPLY,
      body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: one\n  x: two\n",
    },
    200,
    ({ body, warnings }) => [body.data.x, "two", warnings, '299 - "line 7: key \\"x\\" already set in map"'],
  ],
  [
    `PATCH ${MAP}?fieldManager=m&fieldValidation=Strict`,
    {
      type: APPLY,
      body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: one\n  x: two\n",
    },
    400,
    "BadRequest",
  ],
  // Definitions: conversion by the strategy None, `NamingConditionController`.
  [
    `POST ${WIDGETS.replace("v1", "v2")}`,
    { body: widget({ apiVersion: "example.com/v2", metadata: { name: "two" }, spec: { size: 1 } }) },
    201,
    ({ body }) => [body.apiVersion, "example.com/v2", body.spec, { size: 1 }],
  ],
  [
    `GET ${WIDGETS}/two`,
    {},
    200,
    ({ body }) => [body.apiVersion, "example.com/v1"],
  ],
  [
    `GET ${WIDGETS.replace("v1", "v2")}`,
    {},
    200,
    ({ body }) => [
      new Set(body.items.map(({ apiVersion }: Json) => apiVersion)), //
      new Set(["example.com/v2"]),
    ],
  ],
  [
    `PATCH ${WIDGETS}/two`,
    { type: MERGE, body: { spec: { size: 2 } } },
    200,
    ({ body }) => [[body.apiVersion, body.spec.size], ["example.com/v1", 2]],
  ],
  [`POST ${DEFINITIONS}`, { body: GADGETS }, 201, () => []],
  ["GET /apis/example.com/v1/gadgets", {}, 404, NO_PAGE],
  // What the schema of a definition refuses: kube-openapi `schemaPropsValidator`.
  [
    `POST ${WIDGETS}`,
    { body: widget({ spec: { one: {} } }) },
    422,
    "Invalid <nil>: FieldValueInvalid spec.one.a: FieldValueRequired",
  ],
  [
    `POST ${WIDGETS}`,
    { body: widget({ spec: { one: { a: "", b: "" } } }) },
    422,
    "Invalid <nil>: FieldValueInvalid",
  ],
  [
    `POST ${WIDGETS}`,
    { body: widget({ spec: { all: 2 } }) },
    422,
    "Invalid spec.all: FieldValueInvalid <nil>: FieldValueInvalid",
  ],
  [
    `POST ${WIDGETS}`,
    { body: widget({ spec: { not: "x" } }) },
    422,
    "Invalid <nil>: FieldValueInvalid",
  ],
  [
    `POST ${WIDGETS}`,
    { body: widget({ spec: { size: 1.5 } }) },
    422,
    "Invalid spec.size: FieldValueTypeInvalid <nil>: FieldValueInvalid",
  ],
  [`GET ${DEFINITIONS}/gadgets.example.com`, {}, 200, ({ body }) => [
    body.status.conditions.map(({ status, reason, message }: Json) => [status, reason, message]),
    [["False", "ListKindConflict", '"WidgetList" is already in use'], [
      "False",
      "NotAccepted",
      "not all names are accepted",
    ]],
    body.status.acceptedNames,
    { plural: "gadgets", kind: "" },
  ]],
  // Handlers `DeleteResource`.
  [`DELETE ${JOBS}/held`, { body: { orphanDependents: false } }, 202, ({ body }) => [body.kind, "Job"]],
  [
    `DELETE ${MAP}`,
    { body: { gracePeriodSeconds: "x" } },
    400,
    "BadRequest",
  ],
  [
    `DELETE ${MAP}`,
    { body: { kind: "Nope" } },
    400,
    "BadRequest",
  ],
  [`DELETE ${MAPS}/none`, { body: "null" }, 404, "NotFound"],
  [`DELETE ${MAPS}/none`, { body: { apiVersion: null, kind: null } }, 404, "NotFound"],
  [`DELETE ${MAPS}/none`, { body: { kind: "" } }, 404, "NotFound"],
  [
    `DELETE ${MAP}`,
    { body: "[]" },
    400,
    "BadRequest",
  ],
  [
    `DELETE ${MAP}`,
    { body: { kind: 5 } },
    400,
    "BadRequest",
  ],
  // Pods: core `LogREST`, `EvictionREST`, `ConnectResource`.
  [`GET ${PODS}/none/log?tailLines=-1`, {}, 422, "Invalid tailLines: FieldValueInvalid"],
  [
    `GET ${PODS}/p/log?sinceTime=now`,
    {},
    400,
    "BadRequest",
  ],
  [
    `GET ${PODS}/p/log?sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z`,
    {},
    422,
    "Invalid []: FieldValueForbidden",
  ],
  [`GET ${PODS}/p/exec?command=ls&dryRun=All`, {}, 400, "BadRequest"],
  [`POST ${PODS}/p/eviction`, { body: {} }, 400, "BadRequest"],
  // Reviews: authorization `ValidateSelfSubjectAccessReview`, `selfsubjectrulesreview`.
  [
    `POST ${REVIEWS}/selfsubjectaccessreviews`,
    { body: { metadata: { name: "a" } } },
    422,
    "Invalid spec.resourceAttributes: FieldValueInvalid metadata: FieldValueInvalid",
  ],
  [
    `POST ${REVIEWS}/selfsubjectaccessreviews`,
    { body: { spec: { nonResourceAttributes: { verb: "get" }, resourceAttributes: { verb: "get" } } } },
    422,
    "Invalid spec.nonResourceAttributes: FieldValueInvalid",
  ],
  [
    `POST ${REVIEWS}/selfsubjectaccessreviews`,
    { body: { spec: { nonResourceAttributes: { path: "/" } } } },
    201,
    ({ body }) => [body.status, { allowed: true }],
  ],
  [`POST ${REVIEWS}/selfsubjectrulesreviews`, { body: {} }, 400, "BadRequest"],
  [
    `POST ${REVIEWS}/selfsubjectrulesreviews`,
    { body: { spec: { namespace: "a" } } },
    201,
    ({ body }) => [body.spec, {}],
  ],
  [`POST ${REVIEWS}/selfsubjectrulesreviews?dryRun=Nope`, { body: {} }, 422, ({ body }) => [
    body.details.kind,
    "CreateOptions",
  ]],
];

test("requests are answered as kube-apiserver does", async () => {
  await using api = await startTestApiServer({ controllers: [] });
  const { server } = api;
  using client = Deno.createHttpClient({ caCerts: [server.caCertificate] });
  const send = async (method: string, path: string, { type, accept, body }: Asked): Promise<Answer> => {
    const response = await fetch(server.url + path, {
      method,
      client,
      headers: {
        authorization: `Bearer ${server.token}`,
        accept: accept ?? "application/json",
        "content-type": type ?? "application/json",
      },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    const warnings = response.headers.get("warning") ?? undefined;
    return { code: response.status, text, body: isJson && text ? JSON.parse(text) : {}, warnings };
  };
  for (const [path, body] of BEFORE) assertEquals((await send("POST", path, { body })).code, 201, path);
  for (const [request, asked, code, what] of ROWS) {
    const [method = "", path = ""] = request.split(" ");
    const answer = await send(method, path, asked);
    const title = `${request} ${JSON.stringify(asked).slice(0, 300)}`;
    const facts = typeof what === "string"
      ? [answer.body.kind === "Status" ? readBy(answer.body) : answer.text, what]
      : what(answer);
    assertEquals([title, answer.code], [title, code], answer.text);
    for (let at = 0; at < facts.length; at += 2) assertEquals([title, facts[at]], [title, facts[at + 1]]);
  }
});
