import { assertEquals } from "@std/assert";
import { CONFIG_MAPS } from "../../../../src/apiserver/kinds/config_map.ts";
import { CRON_JOBS } from "../../../../src/apiserver/kinds/cron_job.ts";
import { SECRETS } from "../../../../src/apiserver/kinds/secret.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { atLeast } from "../../../support/expected.ts";
import { test } from "../../../support/test.ts";
import { changeRefusals, made, refusals, type RefusedRow, refusedTable } from "./made.ts";

const OWNER = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };

const METADATA_REFUSED: readonly RefusedRow[] = [
  ["a namespace that is none", { namespace: "N" }, [
    'metadata.namespace: Invalid value: "N": a lowercase RFC 1123 label must consist of lower case alphanumeric characters ' +
    "or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for " +
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]],
  ["a name that is too long", { name: "a".repeat(254) }, [
    `metadata.name: Invalid value: "${"a".repeat(254)}": must be no more than 253 characters`,
  ]],
  ["labels that are too long", { labels: { ["a".repeat(64)]: "b".repeat(64) } }, [
    `metadata.labels: Invalid value: "${"a".repeat(64)}": name part must be no more than 63 bytes`,
    `metadata.labels: Invalid value: "${"b".repeat(64)}": must be no more than 63 bytes`,
  ]],
  ["a label of nobody", { labels: { "/a": "", "b/c/d": "" } }, [
    'metadata.labels: Invalid value: "/a": prefix part must be non-empty',
    "metadata.labels: Invalid value: \"b/c/d\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', " +
    "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' " +
    "(e.g. 'example.com/MyName')",
  ]],
  ["too much in annotations", { annotations: { a: "x".repeat(256 * 1024) } }, [
    "metadata.annotations: Too long: may not be more than 262144 bytes",
  ]],
  ["an owner that is not named", { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] }, [
    'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
    'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
    'metadata.ownerReferences.name: Invalid value: "": must not be empty',
    'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  ]],
  ["two controllers", { ownerReferences: [OWNER, { ...OWNER, name: "q" }] }, [
    'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","controller":true,"kind":"Pod","name":"p","uid":"u"},' +
    '{"apiVersion":"v1","controller":true,"kind":"Pod","name":"q","uid":"u"}]: Only one reference can have Controller set ' +
    'to true. Found "true" in references for Pod/p and Pod/q',
  ]],
  ["finalizers against each other", { finalizers: ["orphan", "foregroundDeletion"] }, [
    'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
    "finalizer orphan and foregroundDeletion cannot be both set",
  ]],
  ["fields that nobody manages", { managedFields: [{ operation: "Guess", fieldsType: "FieldsV2" }] }, [
    'metadata.managedFields[0].operation: Unsupported value: "Guess": supported values: "Apply", "Update"',
    'metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
  ]],
];

refusedTable(
  "metadata",
  METADATA_REFUSED.map(([title, metadata, errors]) => [title, { metadata }, errors]),
  (configMap) => refusals(CONFIG_MAPS, configMap),
);

const SECRETS_REFUSED: readonly RefusedRow[] = [
  ["an account's token without the account", { type: "kubernetes.io/service-account-token" }, [
    "metadata.annotations[kubernetes.io/service-account.name]: Required value",
  ]],
  ["an empty key of SSH", { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } }, [
    "data[ssh-privatekey]: Required value",
  ]],
  ["no certificate", { type: "kubernetes.io/tls", data: { "..": "" } }, [
    "data[..]: Invalid value: \"..\": must not be '..'",
    "data[tls.crt]: Required value",
    "data[tls.key]: Required value",
  ]],
  ["neither name nor password", { type: "kubernetes.io/basic-auth" }, [
    "data[username]: Required value",
    "data[password]: Required value",
  ]],
  ["too much", { stringData: { a: "x".repeat(1024 * 1024 + 1) } }, [
    "data: Too long: may not be more than 1048576 bytes",
  ]],
];

refusedTable("a Secret", SECRETS_REFUSED, (secret) => refusals(SECRETS, secret));

test("a Secret of Docker is JSON", () => {
  const secret = { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "{" } };
  const [error] = atLeast(1, refusals(SECRETS, secret));
  assertEquals(error.startsWith('data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": '), true);
});

test("a changed ConfigMap is looked at as kube-apiserver does: its metadata four times, its data once", () => {
  const old = made(CONFIG_MAPS, {});
  const next = { ...old, metadata: { ...old.metadata, labels: { "": "" } }, data: { "a/b": "" } };
  const fields = changeRefusals(CONFIG_MAPS, old, next).map((error) => error.split(": ")[0]);
  assertEquals(fields.filter((field) => field === "data[a/b]").length, 1);
  assertEquals(new Set(fields), new Set(["metadata.labels", "data[a/b]"]));
});

const TEMPLATE = { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "i" }] } } } };
const cronJob = (spec: Json) => ({ spec: { schedule: "* * * * *", jobTemplate: TEMPLATE, ...spec } });

const CRON_JOBS_REFUSED: readonly RefusedRow[] = [
  ["a zone in a folder above", cronJob({ timeZone: "../UTC" }), [
    'spec.timeZone: Invalid value: "../UTC": unknown time zone ../UTC',
  ]],
  ["a zone of one part that is too long", cronJob({ timeZone: "Europe/Abcdefghijklmno" }), [
    'spec.timeZone: Invalid value: "Europe/Abcdefghijklmno": unknown time zone Europe/Abcdefghijklmno',
  ]],
  ["a name to which no Job can add", { metadata: { name: "a".repeat(53) }, ...cronJob({}) }, [
    `metadata.name: Invalid value: "${"a".repeat(53)}": must be no more than 52 bytes`,
  ]],
  ["no policy", cronJob({ concurrencyPolicy: "Queue" }), [
    'spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"',
  ]],
];

refusedTable("a CronJob", CRON_JOBS_REFUSED, (content) => refusals(CRON_JOBS, content));

const ZONE_CHANGES: readonly [title: string, old: string, next: Json, errors: readonly string[]][] = [
  ["stays", "TZ=UTC 0 * * * *", { schedule: "TZ=UTC 5 * * * *" }, []],
  ["is given beside another", "TZ=UTC 0 * * * *", { schedule: "TZ=UTC 5 * * * *", timeZone: "UTC" }, [
    'spec.schedule: Invalid value: "TZ=UTC 5 * * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
  ]],
  ["is new", "0 * * * *", { schedule: "TZ=UTC 5 * * * *" }, [
    'spec.schedule: Invalid value: "TZ=UTC 5 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
  ]],
];

for (const [title, schedule, next, errors] of ZONE_CHANGES) {
  test(`a zone inside a schedule that ${title}`, () => {
    const old = made(CRON_JOBS, cronJob({ schedule }));
    assertEquals(changeRefusals(CRON_JOBS, old, { ...old, spec: { ...old.spec, ...next } }), errors);
  });
}
