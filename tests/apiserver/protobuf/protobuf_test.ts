import protobuf from "protobufjs";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { CONFIG_MAPS } from "../../../src/apiserver/kinds/config_map.ts";
import { CRON_JOBS } from "../../../src/apiserver/kinds/cron_job.ts";
import { JOBS } from "../../../src/apiserver/kinds/job.ts";
import { NAMESPACES } from "../../../src/apiserver/kinds/namespace.ts";
import { SECRETS } from "../../../src/apiserver/kinds/secret.ts";
import { SERVICE_ACCOUNTS } from "../../../src/apiserver/kinds/service_account.ts";
import { BUILT_IN_KINDS } from "../../../src/apiserver/kinds/all.ts";
import { apiVersionOf } from "../../../src/kube/resource.ts";
import { answerSchema, PROTOBUF_TYPE } from "../../../src/apiserver/protobuf/answers.ts";
import {
  decodeProtobuf,
  encodeProtobuf,
  ProtobufError,
  type SchemaOf,
} from "../../../src/apiserver/protobuf/envelope.ts";
import type { Json, ResourceKind } from "../../../src/apiserver/resource_kind.ts";
import type { FieldSchema } from "../../../src/apiserver/schema/field_schema.ts";
import { CORE_TYPES } from "../../../src/apiserver/schema/types/core.ts";
import { META_TYPES } from "../../../src/apiserver/schema/types/meta.ts";
import { CONFIG_MAPS as MAPS } from "../../../src/kube/resource.ts";
import { startTestApiServer, type TestApiServer } from "../../support/api_server.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

// What kubectl sends for `create namespace|configmap|…`.
const SAMPLES: { kind: string; base64: string }[] = JSON.parse(
  await Deno.readTextFile(new URL("./samples.json", import.meta.url)),
);

const schemaOf: SchemaOf = (apiVersion, kind) =>
  BUILT_IN_KINDS.find((one) => apiVersionOf(one) === apiVersion && one.kind === kind)?.schema;

function sample(kind: string, index = 0): Uint8Array {
  const found = must(SAMPLES.filter((one) => one.kind === kind)[index]);
  return Uint8Array.from(atob(found.base64), (character) => character.charCodeAt(0));
}

const container = (name: string, command: string[]) => ({ name, image: "busybox", command, resources: {} });

const EXPECTED: { title: string; kind: ResourceKind; body: Uint8Array; object: Json }[] = [
  {
    title: "create namespace",
    kind: NAMESPACES,
    body: sample("v1/Namespace"),
    object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "pby" }, spec: {}, status: {} },
  },
  {
    title: "create configmap",
    kind: CONFIG_MAPS,
    body: sample("v1/ConfigMap"),
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } },
  },
  {
    title: "create secret",
    kind: SECRETS,
    body: sample("v1/Secret"),
    object: { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { a: "Yg==" } },
  },
  {
    title: "create serviceaccount",
    kind: SERVICE_ACCOUNTS,
    body: sample("v1/ServiceAccount"),
    object: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "sa" } },
  },
  {
    title: "create job",
    kind: JOBS,
    body: sample("batch/v1/Job"),
    object: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j" },
      spec: {
        template: {
          metadata: {},
          spec: { containers: [container("j", ["sh", "-c", "'echo", "hi'"])], restartPolicy: "Never" },
        },
      },
      status: {},
    },
  },
  {
    title: "create cronjob",
    kind: CRON_JOBS,
    body: sample("batch/v1/CronJob"),
    object: {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "cj" },
      spec: {
        schedule: "@hourly",
        jobTemplate: {
          metadata: { name: "cj" },
          spec: {
            template: { metadata: {}, spec: { containers: [container("cj", ["date"])], restartPolicy: "OnFailure" } },
          },
        },
      },
      status: {},
    },
  },
];

for (const { title, kind, body, object } of EXPECTED) {
  test(`the protobuf of kubectl ${title} is read as its JSON would be`, () => {
    assertEquals(kind.read(decodeProtobuf(body, schemaOf)).object, object);
  });
}

test("the protobuf of kubectl create job --from keeps the owner and the annotation", () => {
  const job = JOBS.read(decodeProtobuf(sample("batch/v1/Job", 1), schemaOf)).object;
  assertEquals(job.metadata.annotations, { "cronjob.kubernetes.io/instantiate": "manual" });
  assertEquals(job.metadata.ownerReferences, [{
    apiVersion: "batch/v1",
    kind: "CronJob",
    name: "cj",
    uid: "3614d7df-fddd-4ded-8b8b-5a89b0807834",
    controller: true,
  }]);
});

test("what is no Kubernetes protobuf, or is cut short, is refused", () => {
  const whole = sample("v1/ConfigMap");
  for (const body of [new Uint8Array(), new TextEncoder().encode("{}"), whole.subarray(0, whole.length - 20)]) {
    assertThrows(() => decodeProtobuf(body, schemaOf), ProtobufError);
  }
});

test("each source of a volume is the message that clients send, whether a runtime here mounts it or not", () => {
  for (const struct of ["VolumeSource", "VolumeProjection"]) {
    for (const [source, { type }] of Object.entries(CORE_TYPES.struct(struct).properties ?? {})) {
      assertEquals(type, "object", source);
    }
  }
});

test("a message with any byte changed is read, or refused", () => {
  let refused = 0;
  for (const { kind } of SAMPLES) {
    const message = sample(kind);
    for (let at = 4; at < message.length; at++) {
      const changed = message.slice();
      changed[at]! ^= 0b1000_0110;
      try {
        decodeProtobuf(changed, schemaOf);
      } catch (error) {
        assert(error instanceof ProtobufError, `byte ${at} of ${kind}: ${error}`);
        refused++;
      }
    }
  }
  assert(refused > 100);
});

const META = { name: "x", namespace: "default", labels: { a: "b" }, creationTimestamp: "2026-01-02T03:04:05Z" };
const DEEP: Record<string, Json> = {
  "v1/Node": { spec: { podCIDRs: ["10.0.0.0/24"] }, status: { capacity: { cpu: "2" } } },
  "v1/Pod": {
    spec: {
      containers: [{
        name: "a",
        image: "i",
        resources: { limits: { memory: "1Mi" } },
        livenessProbe: { httpGet: { port: "http" }, periodSeconds: 3 },
      }],
      ephemeralContainers: [{ name: "e", resources: {}, targetContainerName: "a" }],
      volumes: [{ name: "v", configMap: { name: "c", defaultMode: 420 } }],
    },
  },
  "events.k8s.io/v1/Event": { eventTime: "2026-01-02T03:04:05.000000Z", note: "n", regarding: { kind: "Pod" } },
  "apiextensions.k8s.io/v1/CustomResourceDefinition": {
    spec: {
      group: "example.com",
      names: { plural: "xs", kind: "X" },
      scope: "Namespaced",
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              a: { type: "array", items: { type: "string", enum: ["x", "y"], default: "x" } },
              b: { type: "object", additionalProperties: true },
              c: { type: "object", additionalProperties: { type: "integer", maximum: 1.5 } },
              d: { "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      }],
    },
  },
};

for (const kind of BUILT_IN_KINDS) {
  const name = `${apiVersionOf(kind)}/${kind.kind}`;
  test(`protobuf of ${name} is read as its JSON is`, () => {
    const managedFields = [{ manager: "m", operation: "Update", fieldsType: "FieldsV1", fieldsV1: { "f:spec": {} } }];
    const { object } = kind.read({ ...DEEP[name], metadata: { ...META, managedFields } });
    const sent = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind };
    assertEquals(kind.read(decodeProtobuf(encodeProtobuf(sent, kind.schema), schemaOf)).object, kind.read(sent).object);
  });
}

test("a client that speaks protobuf everywhere creates, reads, replaces and deletes every kind", async () => {
  await using api = await startTestApiServer();
  for (const kind of BUILT_IN_KINDS.filter(({ verbs }) => verbs.includes("create"))) {
    const read = async (response: Response) => {
      assertEquals(response.headers.get("content-type"), PROTOBUF_TYPE);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return decodeProtobuf(bytes, (_apiVersion, name) => answerSchema(name, kind));
    };
    const send = async (method: string, path: string, body: Json, schema: FieldSchema) => {
      const headers = { "content-type": PROTOBUF_TYPE, accept: PROTOBUF_TYPE };
      return await read(await api.client.raw(path, { method, headers, body: encodeProtobuf(body, schema) }));
    };
    const get = async (path: string) => await read(await api.client.raw(path, { headers: { accept: PROTOBUF_TYPE } }));
    const getJson = async (path: string) => await (await api.client.raw(path)).json();
    const { group, version, plural, namespaced } = kind, apiVersion = apiVersionOf(kind);
    const root = `${group ? `/apis/${group}` : "/api"}/${version}${namespaced ? "/namespaces/default" : ""}/${plural}`;
    const name = plural === "customresourcedefinitions" ? "xs.example.com" : "x";
    const content = SENT[`${apiVersion}/${kind.kind}`] ?? DEEP[`${apiVersion}/${kind.kind}`] ?? {};
    const object = { apiVersion, kind: kind.kind, metadata: { name }, ...content };
    const created = await send("POST", root, object, kind.schema);
    assertEquals([created.kind, created.metadata?.name], [kind.kind, name], JSON.stringify(created));
    const [found, foundJson] = [await get(`${root}/${name}`), await getJson(`${root}/${name}`)];
    assertEquals([found.apiVersion, found.kind], [apiVersion, kind.kind]);
    assertEquals(kind.read(found).object, kind.read(foundJson).object);
    const [list, listJson] = [await get(root), await getJson(root)];
    assertEquals([list.kind, list.metadata.resourceVersion], [kind.listKind, listJson.metadata.resourceVersion]);
    const objects = (items: Json[]) => items.map((item) => kind.read(item).object);
    assertEquals(objects(list.items), objects(listJson.items));
    // A definition is written by the server meanwhile.
    if (plural === "customresourcedefinitions") delete created.metadata.resourceVersion;
    const replaced = await send("PUT", `${root}/${name}`, {
      ...created,
      metadata: { ...created.metadata, labels: { a: "b" } },
    }, kind.schema);
    assertEquals(replaced.metadata?.labels?.a, "b", JSON.stringify(replaced));
    const options = {
      apiVersion,
      kind: "DeleteOptions",
      propagationPolicy: "Background",
      preconditions: { uid: created.metadata.uid },
    };
    const deleted = await send("DELETE", `${root}/${name}`, options, META_TYPES.struct("DeleteOptions"));
    assert(deleted.status !== "Failure", JSON.stringify(deleted));
  }
});

const TEMPLATE = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "i" }] } };

/** What is taken only whole. */
const SENT: Record<string, Json> = {
  "v1/Pod": TEMPLATE,
  "v1/Event": { involvedObject: { namespace: "default" } },
  "events.k8s.io/v1/Event": {
    eventTime: "2026-01-02T03:04:05.000000Z",
    regarding: { namespace: "default" },
    reportingController: "example.com/x",
    reportingInstance: "x",
    action: "Test",
    reason: "Tested",
    type: "Normal",
  },
  "batch/v1/Job": { spec: { template: TEMPLATE } },
  "batch/v1/CronJob": { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: TEMPLATE } } } },
};

test("a watch in protobuf shows what the same watch shows in JSON", async () => {
  await using api = await startTestApiServer();
  const path = "/api/v1/namespaces/default/configmaps";
  await api.client.create(MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default" },
    data: { k: "v" },
  });
  const query =
    "watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const watched = async (accept: string) => await api.client.raw(`${path}?${query}`, { headers: { accept } });
  const [binary, json] = await Promise.all([watched(`${PROTOBUF_TYPE};stream=watch`), watched("application/json")]);
  assertEquals(binary.headers.get("content-type"), `${PROTOBUF_TYPE};stream=watch`);
  const lines = (await json.text()).trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ type }) => type).slice(0, 2), ["ADDED", "BOOKMARK"]);
  const events = watchEvents(new Uint8Array(await binary.arrayBuffer()));
  assertEquals(events.map(({ type }) => type), lines.map(({ type }) => type));
  assertEquals(
    events.map(({ object }) => CONFIG_MAPS.read(object).object),
    lines.map(({ object }) => CONFIG_MAPS.read(object).object),
  );
});

/** Each after its length; `WatchEvent { type = 1; object = 2 { raw = 1 } }`. */
function watchEvents(bytes: Uint8Array): { type: string; object: Json }[] {
  const events = [];
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + view.getUint32(at);
    const reader = protobuf.Reader.create(bytes.subarray(at + 4, end));
    assertEquals(reader.uint32() >>> 3, 1);
    const type = reader.string();
    assertEquals(reader.uint32() >>> 3, 2);
    const extension = protobuf.Reader.create(reader.bytes());
    assertEquals(extension.uint32() >>> 3, 1);
    events.push({ type, object: decodeProtobuf(extension.bytes(), schemaOf) });
    at = end;
  }
  return events;
}

test("refusals and metadata are sent in protobuf too; a Table, and objects of a definition, are not", async () => {
  await using api = await startTestApiServer();
  const ask = (path: string, accept: string) =>
    fetchFrom(api, path, accept).then(async (response) => ({
      code: response.status,
      type: response.headers.get("content-type"),
      body: new Uint8Array(await response.arrayBuffer()),
    }));
  const meta: SchemaOf = (_apiVersion, kind) => answerSchema(kind, undefined);
  const missing = await ask("/api/v1/namespaces/default/configmaps/none", PROTOBUF_TYPE);
  const status = decodeProtobuf(missing.body, meta);
  assertEquals([missing.code, missing.type, status.reason, status.code], [404, PROTOBUF_TYPE, "NotFound", 404]);
  const partial = await ask("/api/v1/namespaces", `${PROTOBUF_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`);
  const { items } = decodeProtobuf(partial.body, meta);
  assertEquals(items.map(({ metadata }: Json) => metadata.name)[0], "default");
  const table = "as=Table;g=meta.k8s.io;v=v1";
  const both = await ask("/api/v1/namespaces", `${PROTOBUF_TYPE};${table},application/json;${table}`);
  assertEquals([both.code, both.type], [200, "application/json"]);
});

async function fetchFrom({ server }: TestApiServer, path: string, accept: string): Promise<Response> {
  using client = Deno.createHttpClient({ caCerts: [server.caCertificate] });
  const headers = { accept, authorization: `Bearer ${server.token}` };
  const response = await fetch(server.url + path, { client, headers });
  return new Response(await response.arrayBuffer(), response);
}
