import { assert, assertEquals, assertThrows } from "@std/assert";
import { CONFIG_MAPS } from "../../../src/apiserver/kinds/config_map.ts";
import { CRON_JOBS } from "../../../src/apiserver/kinds/cron_job.ts";
import { JOBS } from "../../../src/apiserver/kinds/job.ts";
import { NAMESPACES } from "../../../src/apiserver/kinds/namespace.ts";
import { SECRETS } from "../../../src/apiserver/kinds/secret.ts";
import { SERVICE_ACCOUNTS } from "../../../src/apiserver/kinds/service_account.ts";
import { BUILT_IN_KINDS } from "../../../src/apiserver/kinds/all.ts";
import { apiVersionOf } from "../../../src/apiserver/kind_names.ts";
import { decodeProtobuf, type SchemaOf } from "../../../src/apiserver/protobuf/decode.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import type { Json, ResourceKind } from "../../../src/apiserver/resource_kind.ts";
import type { FieldSchema } from "../../../src/apiserver/schema/field_schema.ts";
import { KUBERNETES_TYPES } from "../../../src/apiserver/schema/kubernetes_types.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { test } from "../../support/test.ts";
import { encodeProtobuf } from "./encode.ts";

// What kubectl sends for `create namespace|configmap|…`.
const SAMPLES: { kind: string; base64: string }[] = JSON.parse(
  await Deno.readTextFile(new URL("./samples.json", import.meta.url)),
);

const schemaOf: SchemaOf = (apiVersion, kind) =>
  BUILT_IN_KINDS.find((one) => apiVersionOf(one) === apiVersion && one.kind === kind)?.schema;

function sample(kind: string, index = 0): Uint8Array {
  const found = SAMPLES.filter((one) => one.kind === kind)[index];
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

test("what is no Kubernetes protobuf, or is cut short, is refused as a bad request", () => {
  const whole = sample("v1/ConfigMap");
  for (const body of [new Uint8Array(), new TextEncoder().encode("{}"), whole.subarray(0, whole.length - 20)]) {
    assertEquals(assertThrows(() => decodeProtobuf(body, schemaOf), Refusal).code, 400);
  }
});

test("a message with any byte changed is read, or refused", () => {
  let refused = 0;
  for (const { kind } of SAMPLES) {
    const message = sample(kind);
    for (let at = 4; at < message.length; at++) {
      const changed = message.slice();
      changed[at] ^= 0b1000_0110;
      try {
        decodeProtobuf(changed, schemaOf);
      } catch (error) {
        assert(error instanceof Refusal && error.code === 400, `byte ${at} of ${kind}: ${error}`);
        refused++;
      }
    }
  }
  assert(refused > 100);
});

const META = { name: "x", namespace: "default", labels: { a: "b" }, creationTimestamp: "2026-01-02T03:04:05Z" };
const DEEP: Record<string, Json> = {
  "v1/Node": { spec: { taints: [{ key: "a", effect: "NoSchedule" }] }, status: { capacity: { cpu: "2" } } },
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

test("a client that sends protobuf everywhere creates, replaces and deletes every kind", async () => {
  await using api = await startTestApiServer();
  const send = async (method: string, path: string, body: Json, schema: FieldSchema) => {
    const headers = { "content-type": "application/vnd.kubernetes.protobuf" };
    const response = await api.client.raw(path, { method, headers, body: encodeProtobuf(body, schema) });
    return await response.json();
  };
  for (const kind of BUILT_IN_KINDS) {
    const { group, version, plural, namespaced } = kind, apiVersion = apiVersionOf(kind);
    const root = `${group ? `/apis/${group}` : "/api"}/${version}${namespaced ? "/namespaces/default" : ""}/${plural}`;
    const name = plural === "customresourcedefinitions" ? "xs.example.com" : "x";
    const content = SENT[`${apiVersion}/${kind.kind}`] ?? DEEP[`${apiVersion}/${kind.kind}`] ?? {};
    const object = { apiVersion, kind: kind.kind, metadata: { name }, ...content };
    const created = await send("POST", root, object, kind.schema);
    assertEquals([created.kind, created.metadata?.name], [kind.kind, name], JSON.stringify(created));
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
    const deleted = await send("DELETE", `${root}/${name}`, options, KUBERNETES_TYPES.struct("meta.DeleteOptions"));
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
