import { assertEquals, assertThrows } from "@std/assert";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { BATCH_TYPES } from "../../../src/apiserver/schema/types/batch.ts";
import { COORDINATION_TYPES } from "../../../src/apiserver/schema/types/coordination.ts";
import { CORE_TYPES } from "../../../src/apiserver/schema/types/core.ts";
import { typedObject, TypeMismatch } from "../../../src/apiserver/schema/typed_object.ts";
import { test } from "../../support/test.ts";

const CRON_JOB = BATCH_TYPES.object("CronJob");
const POD = CORE_TYPES.object("Pod");
const EVENT = CORE_TYPES.object("Event");
const LEASE = COORDINATION_TYPES.object("Lease");

test("what Go always writes is there, and what it leaves out when empty is not", () => {
  const event = { metadata: { name: "e", labels: {}, generateName: "" }, involvedObject: {}, message: "", count: 0 };
  assertEquals(typedObject(event, EVENT).object, {
    metadata: { name: "e" },
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  });
});

test("a pointer to zero is not nothing", () => {
  const spec = { schedule: "", suspend: false, startingDeadlineSeconds: 0, timeZone: "", concurrencyPolicy: "" };
  const { object } = typedObject({ spec }, CRON_JOB);
  const { jobTemplate: _jobTemplate, ...rest } = object.spec;
  assertEquals(rest, { schedule: "", suspend: false, startingDeadlineSeconds: 0, timeZone: "" });
});

test("times, quantities and nulls get their one form", () => {
  const pod: Json = {
    metadata: { creationTimestamp: null },
    spec: { containers: [{ name: "a", resources: { limits: { cpu: 1.5, memory: "1024Mi" } } }] },
    status: { startTime: "2026-01-02T05:04:05.999+02:00" },
  };
  assertEquals(typedObject(pod, POD).object, {
    metadata: {},
    spec: { containers: [{ name: "a", resources: { limits: { cpu: "1500m", memory: "1Gi" } } }] },
    status: { startTime: "2026-01-02T03:04:05Z" },
  });
  const lease = { spec: { renewTime: "2026-01-02T03:04:05.123456+01:00" } };
  assertEquals(typedObject(lease, LEASE).object.spec, { renewTime: "2026-01-02T02:04:05.123456Z" });
});

test("unknown fields are named with their place, and kept only inside Pod specs and templates", () => {
  const container = { name: "a", future: 1 };
  const pod = { metadata: { nope: 1 }, spec: { containers: [container], future: { deep: true } }, other: 1 };
  const { object, unknownFields } = typedObject(pod, POD);
  assertEquals(unknownFields, ["metadata.nope", "spec.containers[0].future", "spec.future", "other"]);
  assertEquals(object.metadata, {});
  assertEquals(object.other, undefined);
  assertEquals(object.spec, { containers: [{ name: "a", resources: {}, future: 1 }], future: { deep: true } });
});

const MISMATCHES: readonly (readonly [title: string, pod: Json, message: string])[] = [
  ["text for a struct", { spec: "x" }, "spec: must be an object"],
  ["a list for text", { spec: { hostname: [] } }, "spec.hostname: must be a string"],
  ["an object for a list", { spec: { containers: {} } }, "spec.containers: must be a list"],
  [
    "a number for text inside a list",
    { spec: { containers: [{ name: 5 }] } },
    "spec.containers[0].name: must be a string, in quotes",
  ],
  [
    "a number that doesn't fit",
    { spec: { priority: 3000000000 } },
    "spec.priority: must be a whole number of 32 bits",
  ],
  [
    "a number among labels",
    { metadata: { labels: { a: 1 } } },
    "metadata.labels.a: must be a string, in quotes",
  ],
  [
    "no time",
    { status: { startTime: "now" } },
    "status.startTime: must be a time such as 2026-01-02T03:04:05Z",
  ],
];

for (const [title, pod, message] of MISMATCHES) {
  test(`typedObject refuses ${title}`, () => {
    assertEquals(assertThrows(() => typedObject(pod, POD), TypeMismatch).message, message);
  });
}

test("bytes must be base64", () => {
  const secret = CORE_TYPES.object("Secret");
  assertThrows(() => typedObject({ data: { a: "a b=" } }, secret), TypeMismatch, "data.a: must be base64");
  assertEquals(typedObject({ data: { a: "" } }, secret).object.data, { a: "" });
});

test("a typed object read again is the same", () => {
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "a", ports: [{ containerPort: 1 }] }], x: 1 } };
  const { object } = typedObject(pod, POD);
  assertEquals(typedObject(object, POD).object, object);
});
