import { assertEquals } from "@std/assert";
import { CONFIG_MAPS } from "../../../../src/apiserver/kinds/config_map.ts";
import { CRON_JOBS } from "../../../../src/apiserver/kinds/cron_job.ts";
import { EVENTS, EVENTS_V1 } from "../../../../src/apiserver/kinds/event.ts";
import { LEASES } from "../../../../src/apiserver/kinds/lease.ts";
import { NAMESPACES } from "../../../../src/apiserver/kinds/namespace.ts";
import { SECRETS } from "../../../../src/apiserver/kinds/secret.ts";
import { SERVICE_ACCOUNTS } from "../../../../src/apiserver/kinds/service_account.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { test } from "../../../support/test.ts";
import { changeRefusals, made, refusals, type RefusedRow, refusedTable, shown } from "../../support/made.ts";

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
    'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},' +
    '{"apiVersion":"v1","kind":"Pod","name":"q","uid":"u","controller":true}]: Only one reference can have Controller set ' +
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

const DOCKER = 'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>"';
const docker = (text: string) => ({
  type: "kubernetes.io/dockerconfigjson",
  stringData: { ".dockerconfigjson": text },
});

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
  ["a configuration of Docker that is cut off", docker("{"), [`${DOCKER}: unexpected end of JSON input`]],
  ["a configuration of Docker that is no JSON", docker("{a: b}"), [
    `${DOCKER}: invalid character 'a' looking for beginning of object key string`,
  ]],
  ["a configuration of Docker that is no object", docker("[]"), [
    `${DOCKER}: json: cannot unmarshal array into Go value of type map[string]interface {}`,
  ]],
  ["too much", { stringData: { a: "x".repeat(1024 * 1024 + 1) } }, [
    "data: Too long: may not be more than 1048576 bytes",
  ]],
];

refusedTable("a Secret", SECRETS_REFUSED, (secret) => refusals(SECRETS, secret));

test("a changed ConfigMap is looked at as kube-apiserver does: its metadata four times, its data once", () => {
  const old = made(CONFIG_MAPS, {});
  const next = { ...old, metadata: { ...old.metadata, labels: { "": "" } }, data: { "a/b": "" } };
  const fields = changeRefusals(CONFIG_MAPS, old, next).map((error) => error.split(": ")[0]);
  assertEquals(fields.filter((field) => field === "data[a/b]").length, 1);
  assertEquals(new Set(fields), new Set(["metadata.labels", "data[a/b]"]));
});

test("a ConfigMap that is too large is refused as a whole", () => {
  const errors = refusals(CONFIG_MAPS, { data: { a: "x".repeat(1024 * 1024 + 1) } });
  assertEquals(errors, ["[]: Too long: may not be more than 1048576 bytes"]);
});

const WHEN = "2026-01-02T03:04:05.000000Z";
const REPORTED = {
  regarding: { namespace: "n" },
  eventTime: WHEN,
  reportingController: "a/b",
  reportingInstance: "i",
  action: "act",
  reason: "why",
  type: "Normal",
};

const EVENTS_REFUSED: readonly RefusedRow[] = [
  ["nothing of its own", { regarding: { namespace: "n" } }, [
    "eventTime: Required value",
    'type: Invalid value: "": has invalid value: ',
  ]],
  ["no reporter, and long words", {
    ...REPORTED,
    reportingController: "",
    reason: "r".repeat(129),
    note: "n".repeat(1025),
  }, [
    "reportingController: Required value",
    'reportingController: Invalid value: "": name part must be non-empty',
    "reportingController: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must " +
    "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation " +
    "is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    'reason: Invalid value: "": can have at most 128 characters',
    'message: Invalid value: "": can have at most 1024 characters',
  ]],
  ["what the older form has, and a series of one", {
    ...REPORTED,
    series: { count: 1 },
    deprecatedCount: 1,
    deprecatedFirstTimestamp: "2026-01-02T03:04:05Z",
    deprecatedSource: { component: "c" },
  }, [
    'series.count: Invalid value: "": should be at least 2',
    "series.lastObservedTime: Required value",
    'firstTimestamp: Invalid value: "": needs to be unset',
    'count: Invalid value: "": needs to be unset',
    'source: Invalid value: "": needs to be unset',
  ]],
];

refusedTable("an Event", EVENTS_REFUSED, (event) => refusals(EVENTS_V1, event));

test("of a newer Event only its series may change", () => {
  const old = made(EVENTS_V1, REPORTED);
  const series = { count: 2, lastObservedTime: WHEN };
  assertEquals(changeRefusals(EVENTS_V1, old, { ...old, series }), []);
  const next = { ...old, reason: "other", regarding: { namespace: "n", uid: "u" }, reportingInstance: "j" };
  assertEquals(changeRefusals(EVENTS_V1, old, next), [
    'involvedObject: Invalid value: {"Kind":"","Namespace":"n","Name":"","UID":"u","APIVersion":"","ResourceVersion":"",' +
    '"FieldPath":""}: field is immutable',
    'reason: Invalid value: "other": field is immutable',
    'reason: Invalid value: "other": field is immutable',
    'reportingInstance: Invalid value: "j": field is immutable',
  ]);
});

test("the older API takes any name of an Event that fits into a path", () => {
  const named = (name: string) => refusals(EVENTS, { metadata: { name }, involvedObject: { namespace: "n" } });
  assertEquals(named("Some_Thing.1"), []);
  assertEquals(named("a/b"), ["metadata.name: Invalid value: \"a/b\": may not contain '/'"]);
});

test("a namespace is held by known finalizers, and its phase says whether it is on its way out", () => {
  assertEquals(shown(NAMESPACES.validate(made(NAMESPACES, { spec: { finalizers: ["bad"] } }), { now: 0 })), [
    'spec.finalizers: Invalid value: "bad": name is neither a standard finalizer name nor is it fully qualified',
  ]);
  const old = made(NAMESPACES, {});
  const next = { ...old, status: { phase: "Terminating" } };
  assertEquals(shown(NAMESPACES.validateStatusUpdate(next, old, { now: 0 })), [
    "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
  ]);
});

test("what is not switched on of a Lease is dropped, and all of a reference to a Secret but its name", () => {
  assertEquals(made(LEASES, { spec: { holderIdentity: "a", strategy: "s", preferredHolder: "p" } }).spec, {
    holderIdentity: "a",
  });
  const account = made(SERVICE_ACCOUNTS, { secrets: [{ kind: "Secret", name: "s", namespace: "n" }] });
  assertEquals(account.secrets, [{ name: "s" }]);
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
