import { assert, assertEquals, assertThrows } from "@std/assert";
import { CONFIG_MAPS } from "../../../src/apiserver/kinds/config_map.ts";
import { CRON_JOBS } from "../../../src/apiserver/kinds/cron_job.ts";
import { JOBS } from "../../../src/apiserver/kinds/job.ts";
import { NAMESPACES } from "../../../src/apiserver/kinds/namespace.ts";
import { SECRETS } from "../../../src/apiserver/kinds/secret.ts";
import { SERVICE_ACCOUNTS } from "../../../src/apiserver/kinds/service_account.ts";
import { decodeProtobuf } from "../../../src/apiserver/protobuf/decode.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import type { Json, ResourceKind } from "../../../src/apiserver/resource_kind.ts";
import { test } from "../../support/test.ts";

// What kubectl sends for `create namespace|configmap|…`.
const SAMPLES: { kind: string; base64: string }[] = JSON.parse(
  await Deno.readTextFile(new URL("./samples.json", import.meta.url)),
);

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
    assertEquals(kind.read(decodeProtobuf(body)).object, object);
  });
}

test("the protobuf of kubectl create job --from keeps the owner and the annotation", () => {
  const job = JOBS.read(decodeProtobuf(sample("batch/v1/Job", 1))).object;
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
    assertEquals(assertThrows(() => decodeProtobuf(body), Refusal).code, 400);
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
        decodeProtobuf(changed);
      } catch (error) {
        assert(error instanceof Refusal && error.code === 400, `byte ${at} of ${kind}: ${error}`);
        refused++;
      }
    }
  }
  assert(refused > 100);
});
