import { assertEquals } from "@std/assert";
import { BUILT_IN_KINDS } from "../../../src/apiserver/kinds/all.ts";
import { CRON_JOBS } from "../../../src/apiserver/kinds/cron_job.ts";
import { EVENTS_V1 } from "../../../src/apiserver/kinds/event.ts";
import { JOBS } from "../../../src/apiserver/kinds/job.ts";
import { PODS } from "../../../src/apiserver/kinds/pod.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../../src/apiserver/kinds/validation/object_meta.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { test } from "../../support/test.ts";
import { made, refusals, type RefusedRow, refusedTable, shown } from "../support/made.ts";

function podErrors(spec: Json): string[] {
  const containers = [{ name: "a", image: "i" }];
  return refusals(PODS, { spec: { containers, ...spec } });
}

function container(more: Json): Json {
  return { containers: [{ name: "a", image: "i", ...more }] };
}

const PODS_REFUSED: RefusedRow[] = [
  ["a mount of no volume", container({ volumeMounts: [{ name: "v", mountPath: "/v" }] }), [
    "spec.containers[0].volumeMounts[0].name: Not found",
  ]],
  [
    "a variable without a name, and one from nowhere",
    container({ env: [{ value: "x" }, { name: "A", valueFrom: {} }] }),
    [
      "spec.containers[0].env[0].name: Required value",
      "spec.containers[0].env[1].valueFrom: Invalid value",
    ],
  ],
  ["a probe that does nothing", container({ livenessProbe: {} }), [
    "spec.containers[0].livenessProbe: Required value",
  ]],
  ["an init container named as another", { initContainers: [{ name: "a", image: "i" }] }, [
    "spec.initContainers[0].name: Duplicate value",
  ]],
  ["two sources of a volume", { volumes: [{ name: "v", emptyDir: {}, configMap: { name: "c" } }] }, [
    "spec.volumes[0].configMap: Forbidden",
  ]],
  ["no time at all to run", { activeDeadlineSeconds: 0 }, [
    "spec.activeDeadlineSeconds: Invalid value",
  ]],
];

refusedTable("a Pod", PODS_REFUSED, podErrors);

const TEMPLATE = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] } };

const JOBS_REFUSED: RefusedRow[] = [
  ["an Indexed Job without completions", { completionMode: "Indexed", parallelism: 1 }, [
    "spec.completions: Required value",
  ]],
  ["limits of indexes without any", { backoffLimitPerIndex: 1, maxFailedIndexes: 1 }, [
    "spec.backoffLimitPerIndex: Invalid value",
    "spec.maxFailedIndexes: Invalid value",
  ]],
  ["a manager without a domain", { managedBy: "me" }, [
    "spec.managedBy: Invalid value",
  ]],
  ["a failure policy about a container that isn't there", {
    podFailurePolicy: {
      rules: [{ action: "FailJob", onExitCodes: { containerName: "x", operator: "In", values: [2, 1, 0] } }],
    },
  }, [
    "spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value",
    "spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Invalid value",
    "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value",
  ]],
  ["success of indexes that it hasn't", {
    completionMode: "Indexed",
    completions: 3,
    successPolicy: { rules: [{ succeededIndexes: "0,2-5" }] },
  }, [
    "spec.successPolicy.rules[0].succeededIndexes: Invalid value",
  ]],
];

refusedTable("a Job", JOBS_REFUSED, (spec) => refusals(JOBS, { spec: { template: TEMPLATE, ...spec } }));

test("a suspended Job that never ran may change where its Pods run, a running one not", () => {
  const old = made(JOBS, { spec: { template: TEMPLATE, suspend: true } });
  const job = structuredClone(old);
  job.spec.template.spec.nodeSelector = { disk: "fast" };
  assertEquals(JOBS.validateUpdate(job, old), []);
  old.spec.suspend = false;
  assertEquals(JOBS.validateUpdate(job, old).map(({ field }) => field), ["spec.template"]);
});

test("a suspended Job that ran may change where its Pods run once none is left and its status says so", () => {
  const startTime = "2026-01-01T00:00:00Z", conditions = [{ type: "Suspended", status: "True" }];
  const changed = (status: Json) => {
    const old = made(JOBS, { spec: { template: TEMPLATE, suspend: true } });
    const job = structuredClone(old);
    job.spec.template.spec.nodeSelector = { disk: "fast" };
    return JOBS.validateUpdate(job, { ...old, status }).map(({ field }) => field);
  };
  assertEquals(changed({ startTime, conditions }), []);
  assertEquals(changed({ startTime }), ["spec.template"]);
  assertEquals(changed({ active: 1 }), ["spec.template"]);
  assertEquals(changed({ startTime, conditions, active: 1 }), ["spec.template"]);
});

test("the end of a Job is final", () => {
  const condition = (type: string) => ({ type, status: "True" });
  const old = made(JOBS, { spec: { template: TEMPLATE } });
  old.status = {
    startTime: "2026-01-01T00:00:00Z",
    completionTime: "2026-01-01T00:01:00Z",
    succeeded: 1,
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
  };
  const job = structuredClone(old);
  job.status.conditions = [condition("SuccessCriteriaMet")];
  job.status.succeeded = 0;
  delete job.status.completionTime;
  assertEquals(shown(JOBS.validateStatusUpdate(job, old)), [
    "status.conditions: Invalid value",
    "status.succeeded: Invalid value",
  ]);
});

test("a stored CronJob keeps a schedule that would not be taken any more", () => {
  const old = made(CRON_JOBS, { spec: { schedule: "TZ=UTC @daily", jobTemplate: { spec: { template: TEMPLATE } } } });
  const changed = structuredClone(old);
  changed.spec.suspend = true;
  assertEquals(CRON_JOBS.validateUpdate(changed, old), []);
  assertEquals(CRON_JOBS.validate(old).length, 1);
});

test("an Event is the same object in both of its APIs", () => {
  const stored = EVENTS_V1.toStored!({
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "e" },
    eventTime: "2026-01-02T03:04:05.000001Z",
    note: "hello",
    regarding: { kind: "Job", name: "j" },
    reportingController: "example.com/c",
  });
  assertEquals([stored.message, stored.involvedObject.name, stored.reportingComponent], [
    "hello",
    "j",
    "example.com/c",
  ]);
  assertEquals(EVENTS_V1.fromStored!(stored).note, "hello");
});

test("metadata is checked field by field", () => {
  const meta = {
    name: "Bad",
    namespace: "n",
    labels: { "a b": "x", ok: "not ok!" },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "" }],
    finalizers: ["plain"],
  };
  assertEquals(validateObjectMeta(meta, PODS).map(({ field }) => field), [
    "metadata.name",
    "metadata.labels",
    "metadata.labels",
    "metadata.ownerReferences.uid",
    "metadata.finalizers[0]",
  ]);
  const old = { name: "a", namespace: "n", uid: "u", deletionTimestamp: "2026-01-01T00:00:00Z" };
  assertEquals(
    shown(
      validateObjectMetaUpdate({ ...old, uid: "v", finalizers: ["example.com/f"] }, old, PODS),
    ),
    [
      "metadata.finalizers: Forbidden",
      "metadata.uid: Invalid value",
    ],
  );
});

for (const kind of BUILT_IN_KINDS) {
  const name = `${kind.group || "core"}/${kind.plural}`;
  test(`${name}: the same defaults twice are the same object, and reading keeps it`, () => {
    const object = made(kind, {});
    const again = structuredClone(object);
    kind.setDefaults(again);
    assertEquals(again, object);
    assertEquals(kind.read(object).object, object);
  });

  test(`${name}: a row has a cell for each column`, () => {
    const object = made(kind, {});
    assertEquals(kind.table.row(object, 0).cells.length, kind.table.columns.length);
  });
}

test("a Pod's scheduling gates can be opened, and none put up", () => {
  const pod = (gates: string[]) =>
    made(PODS, { spec: { ...container({}), schedulingGates: gates.map((name) => ({ name })) } });
  const errors = (gates: string[], old: string[]) => shown(PODS.validateUpdate(pod(gates), pod(old)));
  assertEquals(errors(["a/b"], ["a/b", "c/d"]), []);
  assertEquals(errors([], ["a/b"]), []);
  assertEquals(pod(["a/b"]).status.conditions[0].reason, "SchedulingGated");
  assertEquals(PODS.table.row(pod(["a/b"]), 0).cells[2], "SchedulingGated");
  assertEquals(errors(["a/b"], []), [
    "spec.schedulingGates[0].name: Forbidden",
  ]);
});

test("a status names its conditions, and a node that takes a Pod has a name that later changes can keep", () => {
  const old = made(PODS, { spec: container({}) });
  const pod = structuredClone(old);
  pod.status.conditions = [{ type: "example.com/Warm" }, { type: "a b" }];
  pod.spec.nodeName = "No Name";
  PODS.prepareForStatusUpdate(pod, old);
  assertEquals(shown(PODS.validateStatusUpdate(pod, old)), [
    "status.conditions[1].Type: Invalid value",
    "spec.nodeName: Invalid value",
  ]);
});
