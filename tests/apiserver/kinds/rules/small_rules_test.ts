import { assertEquals } from "@std/assert";
import { CONFIG_MAPS } from "../../../../src/apiserver/kinds/config_map.ts";
import { CRON_JOBS } from "../../../../src/apiserver/kinds/cron_job.ts";
import { EVENTS } from "../../../../src/apiserver/kinds/event.ts";
import { NAMESPACES } from "../../../../src/apiserver/kinds/namespace.ts";
import { SECRETS } from "../../../../src/apiserver/kinds/secret.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { test } from "../../../support/test.ts";
import { changeRefusals, made, refusals, type RefusedRow, refusedTable, shown } from "../../support/made.ts";

const OWNER = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };

const METADATA_REFUSED: readonly RefusedRow[] = [
  ["a namespace that is none", { namespace: "N" }, [
    "metadata.namespace: Invalid value",
  ]],
  ["a name that is too long", { name: "a".repeat(254) }, [
    "metadata.name: Invalid value",
  ]],
  ["labels that are too long", { labels: { ["a".repeat(64)]: "b".repeat(64) } }, [
    "metadata.labels: Invalid value",
    "metadata.labels: Invalid value",
  ]],
  ["a label of nobody", { labels: { "/a": "", "b/c/d": "" } }, [
    "metadata.labels: Invalid value",
    "metadata.labels: Invalid value",
  ]],
  ["too much in annotations", { annotations: { a: "x".repeat(256 * 1024) } }, [
    "metadata.annotations: Too long",
  ]],
  ["an owner that is not named", { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] }, [
    "metadata.ownerReferences.apiVersion: Invalid value",
    "metadata.ownerReferences.kind: Invalid value",
    "metadata.ownerReferences.name: Invalid value",
    "metadata.ownerReferences.uid: Invalid value",
  ]],
  ["two controllers", { ownerReferences: [OWNER, { ...OWNER, name: "q" }] }, [
    "metadata.ownerReferences: Invalid value",
  ]],
  ["finalizers against each other", { finalizers: ["orphan", "foregroundDeletion"] }, [
    "metadata.finalizers: Invalid value",
  ]],
];

refusedTable(
  "metadata",
  METADATA_REFUSED.map(([title, metadata, errors]) => [title, { metadata }, errors]),
  (configMap) => refusals(CONFIG_MAPS, configMap),
);

test("a Secret's keys and its size are looked at, whatever its type", () => {
  assertEquals(refusals(SECRETS, { type: "kubernetes.io/tls", data: { "..": "" } }), ["data[..]: Invalid value"]);
  assertEquals(refusals(SECRETS, { stringData: { a: "x".repeat(1024 * 1024 + 1) } }), ["data: Too long"]);
});

test("a changed ConfigMap is looked at as kube-apiserver does: its metadata four times, its data once", () => {
  const old = made(CONFIG_MAPS, {});
  const next = { ...old, metadata: { ...old.metadata, labels: { "": "" } }, data: { "a/b": "" } };
  const fields = changeRefusals(CONFIG_MAPS, old, next).map((error) => error.split(": ")[0]);
  assertEquals(fields.filter((field) => field === "data[a/b]").length, 1);
  assertEquals(new Set(fields), new Set(["metadata.labels", "data[a/b]"]));
});

test("a ConfigMap that is too large is refused as a whole", () => {
  const errors = refusals(CONFIG_MAPS, { data: { a: "x".repeat(1024 * 1024 + 1) } });
  assertEquals(errors, ["[]: Too long"]);
});

test("the older API takes any name of an Event that fits into a path", () => {
  const named = (name: string) => refusals(EVENTS, { metadata: { name }, involvedObject: { namespace: "n" } });
  assertEquals(named("Some_Thing.1"), []);
  assertEquals(named("a/b"), ["metadata.name: Invalid value"]);
});

test("a namespace is held by known finalizers, and its phase says whether it is on its way out", () => {
  assertEquals(shown(NAMESPACES.validate(made(NAMESPACES, { spec: { finalizers: ["bad"] } }))), [
    "spec.finalizers: Invalid value",
  ]);
  const old = made(NAMESPACES, {});
  const next = { ...old, status: { phase: "Terminating" } };
  assertEquals(shown(NAMESPACES.validateStatusUpdate(next, old)), [
    "status.Phase: Invalid value",
  ]);
});

const TEMPLATE = { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "i" }] } } } };
const cronJob = (spec: Json) => ({ spec: { schedule: "* * * * *", jobTemplate: TEMPLATE, ...spec } });

const CRON_JOBS_REFUSED: readonly RefusedRow[] = [
  ["a zone in a folder above", cronJob({ timeZone: "../UTC" }), [
    "spec.timeZone: Invalid value",
  ]],
  ["a zone of one part that is too long", cronJob({ timeZone: "Europe/Abcdefghijklmno" }), [
    "spec.timeZone: Invalid value",
  ]],
  ["a name to which no Job can add", { metadata: { name: "a".repeat(53) }, ...cronJob({}) }, [
    "metadata.name: Invalid value",
  ]],
  ["no policy", cronJob({ concurrencyPolicy: "Queue" }), [
    "spec.concurrencyPolicy: Unsupported value",
  ]],
];

refusedTable("a CronJob", CRON_JOBS_REFUSED, (content) => refusals(CRON_JOBS, content));

const ZONE_CHANGES: readonly [title: string, old: string, next: Json, errors: readonly string[]][] = [
  ["stays", "TZ=UTC 0 * * * *", { schedule: "TZ=UTC 5 * * * *" }, []],
  ["is given beside another", "TZ=UTC 0 * * * *", { schedule: "TZ=UTC 5 * * * *", timeZone: "UTC" }, [
    "spec.schedule: Invalid value",
  ]],
  ["is new", "0 * * * *", { schedule: "TZ=UTC 5 * * * *" }, [
    "spec.schedule: Invalid value",
  ]],
];

for (const [title, schedule, next, errors] of ZONE_CHANGES) {
  test(`a zone inside a schedule that ${title}`, () => {
    const old = made(CRON_JOBS, cronJob({ schedule }));
    assertEquals(changeRefusals(CRON_JOBS, old, { ...old, spec: { ...old.spec, ...next } }), errors);
  });
}
