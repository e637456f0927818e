import { assertEquals } from "@std/assert";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { startTestApiServer, type TestApiServer } from "../../support/api_server.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

/**
 * The published fields of a Pod template in Kubernetes 1.36: struct -> field -> type. A struct that others inline is among
 * their fields. Ephemeral containers, which no template may have, are left out.
 */
const STRUCTS: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  await Deno.readTextFile(new URL("./pod_template_fields.json", import.meta.url)),
);

const fieldsBut = (struct: string, ...others: string[]) =>
  Object.keys(must(STRUCTS[struct])).filter((field) => !others.includes(field));
const PROBE_SETTINGS = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold"];

/** The fields of a struct of which an object has one. */
const EITHER: Readonly<Record<string, readonly string[]>> = {
  Volume: fieldsBut("Volume", "name"),
  VolumeProjection: fieldsBut("VolumeProjection"),
  VolumeMount: ["subPath", "subPathExpr"],
  DownwardAPIVolumeFile: ["fieldRef", "resourceFieldRef"],
  EnvVar: ["value", "valueFrom"],
  EnvVarSource: fieldsBut("EnvVarSource"),
  EnvFromSource: ["configMapRef", "secretRef"],
  LifecycleHandler: fieldsBut("LifecycleHandler"),
  Probe: fieldsBut("Probe", ...PROBE_SETTINGS, "failureThreshold", "terminationGracePeriodSeconds"),
};

/** Values that the rules demand, by the field or by the struct too. */
const VALUES: Readonly<Record<string, unknown>> = {
  terminationMessagePolicy: "File",
  imagePullPolicy: "Always",
  protocol: "TCP",
  scheme: "HTTP",
  procMount: "Default",
  operator: "In",
  action: "Restart",
  ip: "10.0.0.1",
  expirationSeconds: 600,
  "Container.restartPolicy": "Always",
  "PodSpec.restartPolicy": "Never",
  "ObjectFieldSelector.apiVersion": "v1",
  "ObjectFieldSelector.fieldPath": "metadata.name",
  "ResourceFieldSelector.resource": "limits.cpu",
};

let texts = 0;
const SCALARS: Readonly<Record<string, () => unknown>> = {
  string: () => `text-${++texts}`,
  int32: () => 1,
  int64: () => 1,
  bool: () => true,
  Quantity: () => "1",
  IntOrString: () => 1,
  Time: () => "2026-01-02T03:04:05Z",
  FieldsV1: () => ({ "f:text": {} }),
};

/** Returns values of a type that together have each of its fields. */
function valuesOf(type: string, field: string): unknown[] {
  const [of = "", form] = type.split(" ").reverse();
  if (form === "[]") return [valuesOf(of, field)];
  if (form === "map") return [{ [`text-${++texts}`]: valuesOf(of, field)[0] }];
  const known = VALUES[field] ?? VALUES[must(field.split(".").at(-1))];
  return STRUCTS[of] ? structsOf(of, STRUCTS[of]) : [known ?? must(SCALARS[of])()];
}

function structsOf(struct: string, fields: Readonly<Record<string, string>>): Json[] {
  const either = EITHER[struct] ?? [];
  const make = (field: string) =>
    valuesOf(must(fields[field]), `${struct}.${field}`).map((value) => ({ [field]: value }));
  const choices: Json[] = either.length > 0 ? either.flatMap(make) : [{}];
  const others = Object.keys(fields).filter((field) => !either.includes(field)).map(make);
  const count = others.reduce((most, { length }) => Math.max(most, length), choices.length);
  return Array.from(
    { length: count },
    (_, index) => withOtherTexts(Object.assign({}, ...[choices, ...others].map((made) => made[index % made.length]))),
  );
}

/** What stands twice has two names. */
function withOtherTexts(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replaceAll(/text-\d+/g, () => `text-${++texts}`));
}

function wholeTemplate(): Json {
  const template = must(structsOf("PodTemplateSpec", must(STRUCTS.PodTemplateSpec))[0]), { spec } = template;
  for (const { volumeMounts, readinessProbe } of [...spec.containers, ...spec.initContainers]) {
    for (const mount of volumeMounts) mount.name = spec.volumes[0].name;
    delete readinessProbe.terminationGracePeriodSeconds;
  }
  spec.serviceAccount = spec.serviceAccountName;
  return template;
}

/** Returns the paths of what an object has and another has not, or has otherwise. */
function lost(wanted: unknown, found: unknown, path: string): string[] {
  if (typeof wanted !== "object" || wanted === null) return wanted === found ? [] : [path];
  return Object.entries(wanted).flatMap(([key, value]) =>
    lost(value, (found as Json | undefined)?.[key], `${path}.${key}`)
  );
}

/** Returns each field that an object has, as `Struct.field`. */
function fieldsIn(value: unknown, type: string): string[] {
  const [of = "", form] = type.split(" ").reverse(), fields = STRUCTS[of];
  if (form) return Object.values(value as Json).flatMap((one) => fieldsIn(one, of));
  if (!fields) return [];
  return Object.entries(value as Json).flatMap(([key, one]) => [`${of}.${key}`, ...fieldsIn(one, must(fields[key]))]);
}

async function send({ client }: TestApiServer, method: string, cronJob: Json, query: string): Promise<Json> {
  const path = "/apis/batch/v1/namespaces/default/cronjobs" + (method === "PATCH" ? `/${cronJob.metadata.name}` : "");
  const contentType = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
  const request = { method, headers: { "content-type": contentType }, body: JSON.stringify(cronJob) };
  return await (await client.raw(`${path}?fieldValidation=Strict&${query}`, request)).json();
}

function cronJobOf(name: string, template: Json, more: Json = {}): Json {
  const spec = { ...more, jobTemplate: { spec: { template } } };
  return { apiVersion: "batch/v1", kind: "CronJob", metadata: { name }, spec };
}

test("a Pod template with every published field of 1.36 is known, created and applied without loss", async () => {
  const template = wholeTemplate();
  const all = Object.entries(STRUCTS)
    .flatMap(([struct, fields]) => Object.keys(fields).map((field) => `${struct}.${field}`));
  assertEquals([...new Set(fieldsIn(template, "PodTemplateSpec"))].sort(), all.sort());

  await using api = await startTestApiServer();
  const lostOf = ({ spec }: Json) => lost(template, spec.jobTemplate.spec.template, "");
  const schedule = { schedule: "@daily" };
  assertEquals(lostOf(await send(api, "POST", cronJobOf("created", template, schedule), "")), []);

  const config = cronJobOf("applied", template, schedule);
  const applied = await send(api, "PATCH", config, "fieldManager=one");
  assertEquals(lostOf(applied), []);
  assertEquals(await send(api, "PATCH", config, "fieldManager=one"), applied);
  // What another manager applies beside it takes nothing along.
  const other = cronJobOf("applied", { spec: { dnsPolicy: "Default" } });
  assertEquals(lostOf(await send(api, "PATCH", other, "fieldManager=two&force=true")), [".spec.dnsPolicy"]);
});
