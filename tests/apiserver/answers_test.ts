import { assertEquals } from "@std/assert";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";
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
const NO_RESOURCE = "the server could not find the requested resource";
const NO_METHOD = "the server does not allow this method on the requested resource";
const OTHER_NAMESPACE = "the namespace of the provided object does not match the namespace sent on the request";

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
  ["POST /api/v1/watch/namespaces/default/configmaps", { body: {} }, 405, NO_METHOD],
  ["DELETE /api/v1/watch/namespaces/default/configmaps/a", {}, 405, NO_METHOD],
  ["GET /api/v1/watch", {}, 404, NO_RESOURCE],
  // An object that is in a namespace has no path outside; what could be there at all, a method does not make so.
  ["GET /api/v1/pods/p", {}, 404, NO_RESOURCE],
  ["DELETE /apis/batch/v1/jobs/held", {}, 404, NO_RESOURCE],
  ["GET /api/v1/pods/p/log", {}, 404, NO_RESOURCE],
  ["GET /apis/batch/v1/jobs/held/status", {}, 404, NO_RESOURCE],
  ["GET /api/v1/watch/pods/p", {}, 404, NO_RESOURCE],
  ["POST /api/v1/pods", { body: {} }, 405, NO_METHOD],
  ["DELETE /api/v1/pods", {}, 405, NO_METHOD],
  ["GET /livez/ping", {}, 200, "ok"],
  ["POST /healthz", {}, 200, "ok"],
  ["GET /healthz/nope", {}, 404, NO_PAGE],
  ["GET /healthz/", {}, 404, NO_PAGE],
  ["GET /livez?exclude=etcd", {}, 200, "ok"],
  ["GET /livez?verbose", {}, 200, "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n"],
  [
    "GET /readyz?verbose&exclude=b&exclude=a&exclude=log",
    {},
    200,
    "[+]ping ok\n[+]log excluded: ok\n[+]etcd ok\n[+]informer-sync ok\n" +
    'warn: some health checks cannot be excluded: no matches for "a","b"\nreadyz check passed\n',
  ],
  ["GET /api", {}, 200, ({ body: { serverAddressByClientCIDRs: [found] } }) => [
    /^127\.0\.0\.1:\d+$/.test(found.serverAddress),
    true,
  ]],
  ["GET /api", { accept: "text/plain" }, 406, `406: Not Acceptable\n\nAvailable representations: ${READABLE}`],
  ["GET /api/v1", { accept: "text/plain" }, 406, `406: Not Acceptable\n\nAvailable representations: ${READABLE}`],
  ["GET /apis", { accept: "text/plain" }, 406, `only the following media types are accepted: ${READABLE}`],
  ["GET /apis/batch", { accept: "text/plain" }, 406, `only the following media types are accepted: ${READABLE}`],
  ["GET /apis/batch/v1", as("Table"), 406, `only the following media types are accepted: ${READABLE}`],
  ["GET /apis/batch/v1", { accept: `${as("Table").accept},*/*` }, 200, ({ body }) => [body.kind, "APIResourceList"]],
  [
    "GET /apis/batch",
    { accept: "application/yaml" },
    200,
    "apiVersion: v1\nkind: APIGroup\nname: batch\npreferredVersion:\n  groupVersion: batch/v1\n  version: v1\n" +
    "versions:\n- groupVersion: batch/v1\n  version: v1\n",
  ],
  [`HEAD ${WIDGETS}`, {}, 200, () => []],
  [`HEAD ${WIDGETS}/nope`, {}, 404, () => []],
  [`HEAD ${MAPS}`, {}, 405, () => []],
  ["GET /apis/batch/v2/jobs", {}, 404, NO_RESOURCE],
  ["GET /apis/example.com/v9", {}, 404, NO_PAGE],
  ["GET /apis/example.com/v1/nopes", {}, 404, NO_PAGE],
  ["GET /apis/example.com/v9/widgets", {}, 404, NO_PAGE],
  ["GET /apis/example.com/v1/widgets/a", {}, 404, NO_PAGE],
  ["DELETE /apis/example.com/v1/widgets", {}, 404, NO_PAGE],
  [`POST ${WIDGET}/status`, { body: {} }, 405, 'create is not supported on resources of kind "widgets.example.com"'],
  [`PUT ${WIDGETS}`, { body: {} }, 400, "name must be provided"],
  [`PATCH ${WIDGETS}`, { type: MERGE, body: {} }, 400, "name must be provided"],
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
  [`GET ${MAP}`, { accept: "application/json;stream=nope" }, 406, accepted(READABLE)],
  [`GET ${MAP}`, { accept: "application/json;sv=v2" }, 406, accepted(READABLE)],
  [`GET ${MAP}`, as("Table", "v2"), 406, accepted(READABLE)],
  [
    `GET ${MAP}`,
    as("PartialObjectMetadataList"),
    406,
    notA("PartialObjectMetadataList", "not a list (*core.ConfigMap)"),
  ],
  [`GET ${MAPS}`, as("PartialObjectMetadata"), 406, notA("PartialObjectMetadata", "a list (*core.ConfigMapList)")],
  [`GET ${MAP}`, as("Table", "v1beta1"), 200, ({ body }) => [
    body.apiVersion,
    "meta.k8s.io/v1beta1",
    body.rows[0].object.apiVersion,
    "meta.k8s.io/v1beta1",
  ]],
  [
    `GET ${MAPS}?watch=1`,
    { accept: "application/yaml" },
    406,
    ({ text }) => [/json;stream=watch,\s+application\/vnd.kubernetes.protobuf;stream=watch/.test(text), true],
  ],
  [`GET ${WIDGET}`, { accept: "text/plain" }, 406, accepted(READABLE)],
  [`GET ${WIDGET}`, { accept: "application/vnd.kubernetes.protobuf,application/yaml;sv=v2" }, 406, ({ text }) => [
    text.includes(READABLE),
    true,
  ]],
  [`GET ${WIDGET}`, { accept: "application/*" }, 200, ({ body }) => [body.kind, "Widget"]],
  [
    `GET ${WIDGETS}`,
    as("PartialObjectMetadata"),
    406,
    notA(
      "PartialObjectMetadata",
      "a list (*unstructured.UnstructuredList)",
    ),
  ],
  // What a request can be.
  [`GET ${MAP}?export=true`, {}, 400, "the export parameter, deprecated since v1.14, is no longer supported"],
  [`GET ${MAPS}?fieldSelector=metadata.name=a%5Cb`, {}, 400, "invalid field selector: invalid escape sequence: \\b"],
  [`GET ${MAPS}?fieldSelector=metadata.name=a%5C`, {}, 400, "invalid field selector: invalid escape sequence: \\"],
  [`GET ${MAPS}?fieldSelector=metadata.name=a=b`, {}, 400, "invalid field selector: unescaped character in value: 61"],
  [
    "GET /api/v1/namespaces?fieldSelector=metadata.namespace=a",
    {},
    400,
    "field label not supported: metadata.namespace",
  ],
  ["GET /api/v1/services?fieldSelector=nope=a", {}, 400, "field label not supported: nope"],
  ["GET /api/v1/services?fieldSelector=spec.type=ClusterIP", {}, 200, ({ body }) => [body.kind, "ServiceList"]],
  ["GET /api/v1/pods?fieldSelector=spec.host=a,status.podIPs=", {}, 200, ({ body }) => [body.kind, "PodList"]],
  [`POST ${MAPS}?dryRun=Nope`, { type: "text/plain", body: {} }, 415, mediaTypes(READABLE)],
  [`PATCH ${MAP}`, { type: "application/json", body: {} }, 415, "415: Unsupported Media Type"],
  [`PATCH ${WIDGET}`, { type: STRATEGIC, body: {} }, 415, mediaTypes(`${JSON_PATCH}, ${MERGE}, ${APPLY}`)],
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
  [
    `POST ${MAPS}`,
    { body: { metadata: { name: "b", resourceVersion: "5" } } },
    500, //
    "resourceVersion should not be set on objects to be created",
  ],
  [`POST ${MAPS}?dryRun=All`, { body: { metadata: { name: "b", resourceVersion: "5" } } }, 201, () => []],
  [
    `POST ${MAPS}?dryRun=All`,
    { body: { metadata: { name: "b", ownerReferences: [owner, owner] } } },
    201, //
    ({ body, warnings }) => [
      body.metadata.ownerReferences.length,
      1,
      warnings?.includes("duplicate entries; API") && warnings.includes("duplicate UID(s) observed: 1"),
      true,
    ],
  ],
  [
    `POST ${WIDGETS}`,
    { body: {} },
    400, //
    "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{}' ({})",
  ],
  [
    `POST ${WIDGETS}`,
    { body: { kind: "Widget" } },
    400, //
    "the API version in the data () does not match the expected API version (example.com/v1)",
  ],
  [
    `POST ${WIDGETS}/other`,
    { body: widget({ metadata: { name: "b" } }) },
    201,
    ({ body }) => [body.metadata.name, "b"],
  ],
  // Handlers `UpdateResource`, registry `Store.Update`.
  [
    `PUT ${MAPS}/none`,
    { body: { metadata: { name: "b" } } },
    400, //
    "the name of the object (b) does not match the name on the URL (none)",
  ],
  [
    `PUT ${MAPS}/none`,
    { body: {} },
    400, //
    "the name of the object (none based on URL) was undeterminable: name must be provided",
  ],
  [`PUT ${MAPS}/none`, { body: { metadata: { name: "none", namespace: "b" } } }, 400, OTHER_NAMESPACE],
  [`PUT ${MAPS}/none`, { body: { metadata: { name: "none" } } }, 404, 'configmaps "none" not found'],
  [
    `PUT ${MAP}`,
    { body: { metadata: { name: "a", resourceVersion: "99999999999999999999" } } },
    500, //
    'strconv.ParseUint: parsing "99999999999999999999": value out of range',
  ],
  [
    `PUT ${MAP}`,
    { body: { metadata: { name: "a", uid: "x", resourceVersion: "1" } } },
    409,
    uidMismatch(
      "configmaps",
      "configmaps",
    ),
  ],
  [
    `PUT ${WIDGET}`,
    { body: widget({ metadata: { name: "a", uid: "x" } }) },
    409,
    uidMismatch(
      "widgets.example.com",
      "example.com/widgets",
    ),
  ],
  // Handlers `patch.go`.
  [`PATCH ${MAP}`, { type: MERGE, body: { metadata: { uid: "x" } } }, 422, immutable("uid", "x")],
  [`PATCH ${MAPS}/none`, { type: MERGE, body: "{" }, 404, 'configmaps "none" not found'],
  [`PATCH ${MAP}`, { type: MERGE, body: "" }, 400, "error decoding patch: unexpected end of JSON input"],
  [`PATCH ${MAP}`, { type: MERGE, body: [] }, 400, `error decoding patch: ${noObject("array")}`],
  [`PATCH ${MAP}`, { type: MERGE, body: "null" }, 400, "Invalid JSON Patch"],
  [`PATCH ${MAP}`, { type: STRATEGIC, body: [] }, 400, noObject("array")],
  [`PATCH ${MAP}`, { type: STRATEGIC, body: "null" }, 200, () => []],
  [
    `PATCH ${MAP}`,
    { type: STRATEGIC, body: { data: "x" } },
    422,
    patchInvalid(
      "map[data:x]",
      "cannot restore map from string",
    ),
  ],
  [
    `PATCH ${MAP}`,
    { type: STRATEGIC, body: { data: { a: 1 } } },
    422,
    patchInvalid(
      "map[data:map[a:1]]",
      "cannot convert int64 to string",
    ),
  ],
  [
    `PATCH ${MAP}`,
    { type: STRATEGIC, body: { metadata: { ownerReferences: ["x"] } } },
    422,
    patchInvalid(
      "map[metadata:map[ownerReferences:[x]]]",
      "cannot restore struct from: string",
    ),
  ],
  [
    `PATCH ${MAP}`,
    { type: STRATEGIC, body: { metadata: { finalizers: {} } } },
    422,
    patchInvalid(
      "map[metadata:map[finalizers:map[]]]",
      "cannot restore slice from map",
    ),
  ],
  [
    `PATCH ${MAP}?fieldValidation=Strict`,
    { type: STRATEGIC, body: { nope: 1.5 } },
    422,
    patchInvalid(
      "map[nope:1.5]",
      'strict decoding error: unknown field "nope"',
    ),
  ],
  [
    `PATCH ${MAP}`,
    { type: JSON_PATCH, body: {} },
    400, //
    "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
  ],
  [
    `PATCH ${MAP}`,
    { type: JSON_PATCH, body: ["x"] },
    400, //
    "error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp",
  ],
  [
    `PATCH ${MAP}`,
    { type: JSON_PATCH, body: [{ op: 5 }] },
    400, //
    "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
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
    { type: JSON_PATCH, body: '[{"op":"add","op":"add","path":"/data","value":{},"x":2}]' }, //
    200,
    ({ warnings }) => [
      warnings,
      '299 - "json patch duplicate field \\"[0].op\\"", 299 - "json patch unknown field \\"[0].x\\""',
    ],
  ],
  [
    `PATCH ${MAP}`,
    { type: JSON_PATCH, body: `[${Array(10001).fill('{"op":"x"}').join()}]` },
    413, //
    "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
  ],
  [
    `PATCH ${WIDGET}`,
    { type: MERGE, body: { kind: "Other" } },
    422, //
    'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Widget',
  ],
  [
    `PATCH ${WIDGET}`,
    { type: MERGE, body: { apiVersion: "example.com/v8" } },
    422, //
    'Widget.example.com "a" is invalid: apiVersion: Invalid value: "example.com/v8": must be example.com/v1',
  ],
  [
    `PATCH ${WIDGET}`,
    { type: MERGE, body: { metadata: { resourceVersion: null } } },
    422, //
    'widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ],
  // Managedfields `structuredMergeManager`, structured-merge-diff `validatingObjectWalker`.
  [`PATCH ${MAP}?fieldManager=m`, { type: APPLY, body: "" }, 400, "invalid object type: /, Kind="],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: { kind: "ConfigMap" } },
    400, //
    "invalid object type: /, Kind=ConfigMap",
  ],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: [] },
    400, //
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${noObject("array")}`,
  ],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: map({ metadata: { managedFields: [] } }) },
    400, //
    "metadata.managedFields must be nil",
  ],
  [`PATCH ${MAP}?fieldManager=m`, { type: APPLY, body: map({ metadata: { managedFields: null } }) }, 200, () => []],
  [`PATCH ${MAP}?fieldManager=m`, { type: APPLY, body: map({ metadata: { uid: "x" } }) }, 422, immutable("uid", "x")],
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
    untyped(
      "/a; /v1, Kind=ConfigMap",
      ".data.a: expected string, got &value.valueUnstructured{Value:5}",
    ),
  ],
  [
    `PATCH ${MAP}?fieldManager=m`,
    { type: APPLY, body: map({ data: "x", immutable: "y" }) },
    500,
    untyped(
      "/a; /v1, Kind=ConfigMap",
      "errors:\n  .data: expected map, got &{x}\n  .immutable: expected boolean, got &{y}",
    ),
  ],
  [
    `PATCH ${MAP}?fieldManager=m`,
    {
      type: APPLY,
      body: map({ metadata: { name: "a", ownerReferences: [owner, owner], finalizers: ["x/y", "x/y"], nope: 1 } }),
    },
    500,
    untyped(
      "/a; /v1, Kind=ConfigMap",
      'errors:\n  .metadata.ownerReferences: duplicate entries for key [uid="1"]\n' +
        '  .metadata.finalizers: duplicate entries for key [="x/y"]\n  .metadata.nope: field not declared in schema',
    ),
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
    untyped(
      "/j; batch/v1, Kind=Job",
      "errors:\n  .spec.backoffLimit: expected numeric (int or float), got string\n" +
        '  .spec.template.spec.containers[name="a"].env: duplicate entries for key [name="A"]\n' +
        "  .spec.template.spec.containers: element 1: associative list with keys has an element that omits all key fields " +
        '["name"] (and doesn\'t have default values for any key fields)',
    ),
  ],
  [
    `PATCH ${WIDGET}?fieldManager=m`,
    { type: APPLY, body: widget({ spec: { set: ["a", "a"] } }) },
    500,
    untyped(
      "/a; example.com/v1, Kind=Widget",
      '.spec.set: duplicate entries for key [="a"]',
    ),
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
    "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n" +
    '  line 7: key "x" already set in map',
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
    widgetInvalid(
      '[<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid, ' +
        "spec.one.a: Required value]",
    ),
  ],
  [
    `POST ${WIDGETS}`,
    { body: widget({ spec: { one: { a: "", b: "" } } }) },
    422,
    widgetInvalid(
      '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ),
  ],
  [
    `POST ${WIDGETS}`,
    { body: widget({ spec: { all: 2 } }) },
    422,
    widgetInvalid(
      "[spec.all: Invalid value: 2: spec.all in body should be less than or equal to 1, " +
        '<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf)]',
    ),
  ],
  [
    `POST ${WIDGETS}`,
    { body: widget({ spec: { not: "x" } }) },
    422,
    widgetInvalid(
      '<nil>: Invalid value: "": "spec.not" must not validate the schema (not)',
    ),
  ],
  [
    `POST ${WIDGETS}`,
    { body: widget({ spec: { size: 1.5 } }) },
    422,
    widgetInvalid(
      '[spec.size: Invalid value: "number": spec.size in body must be of type integer: "number", ' +
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.size]',
    ),
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
    "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
  ],
  [
    `DELETE ${MAP}`,
    { body: { kind: "Nope" } },
    400,
    'no kind "Nope" is registered for version "meta.k8s.io/v1" in scheme ' +
    '"pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
  [`DELETE ${MAPS}/none`, { body: "null" }, 404, 'configmaps "none" not found'],
  [`DELETE ${MAPS}/none`, { body: { apiVersion: null, kind: null } }, 404, 'configmaps "none" not found'],
  [`DELETE ${MAPS}/none`, { body: { kind: "" } }, 404, 'configmaps "none" not found'],
  [
    `DELETE ${MAP}`,
    { body: "[]" },
    400,
    "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { " +
    'APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  ],
  [
    `DELETE ${MAP}`,
    { body: { kind: 5 } },
    400,
    "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
  ],
  [`DELETE ${MAP}`, { body: { apiVersion: "a/b/c" } }, 400, "unexpected GroupVersion string: a/b/c"],
  // Pods: core `LogREST`, `BindingREST`, `EvictionREST`, `ConnectResource`.
  [`GET ${PODS}/none/log?tailLines=-1`, {}, 422, podLogInvalid("none", "tailLines", -1)],
  [
    `GET ${PODS}/p/log?sinceTime=now`,
    {},
    400,
    'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
  ],
  [
    `GET ${PODS}/p/log?sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z`,
    {},
    422,
    'PodLogOptions "p" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
  ],
  [`GET ${PODS}/p/exec?command=ls&dryRun=All`, {}, 400, "dryRun is not supported"],
  [`POST ${PODS}/p/eviction`, { body: {} }, 400, "name in URL does not match name in Eviction object"],
  [`POST ${PODS}/p/binding`, { body: {} }, 400, "name in URL does not match name in Binding object"],
  [
    `POST ${PODS}/p/binding`,
    { body: { metadata: { name: "p" }, target: { kind: "Pod" } } },
    500,
    '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
  ],
  [
    `POST ${PODS}/gated/binding`,
    { body: { metadata: { name: "gated" }, target: { name: "n" } } },
    409,
    'Operation cannot be fulfilled on pods/binding "gated": pod gated has non-empty .spec.schedulingGates',
  ],
  // Reviews: authorization `ValidateSelfSubjectAccessReview`, `selfsubjectrulesreview`.
  [
    `POST ${REVIEWS}/selfsubjectaccessreviews`,
    { body: { metadata: { name: "a" } } },
    422,
    '.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of ' +
    'nonResourceAttributes or resourceAttributes must be specified, metadata: Invalid value: {"name":"a"}: must be empty]',
  ],
  [
    `POST ${REVIEWS}/selfsubjectaccessreviews`,
    { body: { spec: { nonResourceAttributes: { verb: "get" }, resourceAttributes: { verb: "get" } } } },
    422,
    '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"Path":"","Verb":"get"}: ' +
    "cannot be specified in combination with resourceAttributes",
  ],
  [
    `POST ${REVIEWS}/selfsubjectaccessreviews`,
    { body: { spec: { nonResourceAttributes: { path: "/" } } } },
    201,
    ({ body }) => [body.status, { allowed: true }],
  ],
  [`POST ${REVIEWS}/selfsubjectrulesreviews`, { body: {} }, 400, "no namespace on request"],
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

function accepted(types: string): string {
  return `only the following media types are accepted: ${types}`;
}

function mediaTypes(types: string): string {
  return `the body of the request was in an unknown format - accepted media types include: ${types}`;
}

function notA(what: string, object: string): string {
  return `you requested ${what}, but the requested object is ${object}`;
}

function noObject(type: string): string {
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

function podLogInvalid(name: string, field: string, value: number): string {
  return `PodLogOptions "${name}" is invalid: ${field}: Invalid value: ${value}: must be greater than or equal to 0`;
}

function untyped(what: string, why: string): string {
  return `failed to create typed patch object (${what}): ${why}`;
}

function immutable(field: string, value: string): string {
  return `ConfigMap "a" is invalid: metadata.${field}: Invalid value: ${JSON.stringify(value)}: field is immutable`;
}

function patchInvalid(patch: string, why: string): string {
  return ` "" is invalid: patch: Invalid value: ${JSON.stringify(patch)}: ${why}`;
}

function widgetInvalid(why: string): string {
  return `Widget.example.com "a" is invalid: ${why}`;
}

/** It ends with the UID of the object, which is another in each run. */
function uidMismatch(resource: string, key: string): Extract<Row[3], (answer: Answer) => unknown> {
  const message = `Operation cannot be fulfilled on ${resource} "a": StorageError: invalid object, Code: 4, ` +
    `Key: /registry/${key}/default/a, ResourceVersion: 0, AdditionalErrorMsg: ` +
    "Precondition failed: UID in precondition: x, UID in object meta: ";
  return ({ body }) => [body.message.slice(0, message.length), message, body.details.name, "a"];
}

test("requests are answered in kube-apiserver's words", async () => {
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
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
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
    const facts = typeof what === "string" ? [answer.body.message ?? answer.text, what] : what(answer);
    assertEquals([title, answer.code], [title, code], answer.text);
    for (let at = 0; at < facts.length; at += 2) assertEquals([title, facts[at]], [title, facts[at + 1]]);
  }
});
