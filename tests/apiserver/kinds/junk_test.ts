import * as fc from "fast-check";
import { CRON_JOBS } from "../../../src/apiserver/kinds/cron_job.ts";
import { customKind } from "../../../src/apiserver/kinds/custom.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../../src/apiserver/kinds/custom_resource_definition.ts";
import { EVENTS } from "../../../src/apiserver/kinds/event.ts";
import { JOBS } from "../../../src/apiserver/kinds/job.ts";
import { PODS } from "../../../src/apiserver/kinds/pod.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../../src/apiserver/kinds/validation/object_meta.ts";
import { trackUpdate } from "../../../src/apiserver/patch/managed_fields.ts";
import type { Json, ResourceKind } from "../../../src/apiserver/resource_kind.ts";
import { TypeMismatch } from "../../../src/apiserver/schema/typed_object.ts";
import { test } from "../../support/test.ts";
import { JUNK, withJunk } from "../support/junk.ts";
import { WIDGETS } from "../support/widgets.ts";

const METADATA = {
  name: "x",
  namespace: "n",
  labels: { a: "b" },
  finalizers: ["example.com/f"],
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }],
};
const POD_SPEC = {
  restartPolicy: "Never",
  volumes: [{ name: "v", configMap: { name: "c", items: [{ key: "k", path: "p" }] } }, { name: "e", emptyDir: {} }],
  initContainers: [{ name: "i", image: "i", command: ["true"] }],
  containers: [{
    name: "a",
    image: "i:1",
    env: [{ name: "A", value: "1" }, { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    envFrom: [{ configMapRef: { name: "c" } }],
    ports: [{ containerPort: 80, name: "http" }],
    resources: { requests: { cpu: "1" }, limits: { cpu: "2" } },
    volumeMounts: [{ name: "v", mountPath: "/v" }],
    livenessProbe: { exec: { command: ["true"] } },
    lifecycle: { preStop: { httpGet: { port: 80 } } },
  }],
  tolerations: [{ key: "k", operator: "Exists" }],
};
const JOB_SPEC = {
  completionMode: "Indexed",
  completions: 3,
  podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] },
  successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] },
  template: { metadata: { labels: { a: "b" } }, spec: POD_SPEC },
};

const SOUND: [ResourceKind, Json][] = [
  [PODS, {
    spec: POD_SPEC,
    status: { conditions: [{ type: "Ready" }], containerStatuses: [{ name: "a", state: {} }] },
  }],
  [JOBS, { spec: JOB_SPEC, status: { conditions: [{ type: "Complete", status: "True" }] } }],
  [CRON_JOBS, { spec: { schedule: "@daily", jobTemplate: { spec: { template: JOB_SPEC.template } } } }],
  [EVENTS, { involvedObject: { namespace: "n" }, series: { count: 1 }, source: { component: "c" } }],
  [CUSTOM_RESOURCE_DEFINITIONS, { spec: WIDGETS.spec }],
  [customKind(WIDGETS, "v1"), {
    spec: { size: 1, parts: [{ name: "a" }], tags: ["x"], labels: { a: "b" }, template: { a: 1 } },
  }],
];

for (const [kind, content] of SOUND) {
  test(`${kind.kind} of ${kind.group || "core"}: junk anywhere is refused in order, or taken, and never breaks the server`, () => {
    const sound: Json = { metadata: METADATA, ...content };
    fc.assert(
      fc.property(fc.nat(), JUNK, fc.nat(), JUNK, (place, junk, otherPlace, otherJunk) => {
        goThrough(kind, withJunk(withJunk(sound, place, junk), otherPlace, otherJunk));
      }),
      { numRuns: 400 },
    );
  });
}

/** All that a create and an update do with an object. */
function goThrough(kind: ResourceKind, content: Json): void {
  let object: Json;
  try {
    ({ object } = kind.read(content));
  } catch (error) {
    if (error instanceof TypeMismatch) return;
    throw error;
  }
  const { status } = structuredClone(object);
  kind.setDefaults(object);
  trackUpdate(object, undefined, { kind, subresource: "", manager: "m", now: 0 });
  kind.prepareForCreate(object);
  const errors = [...validateObjectMeta(object.metadata, kind), ...kind.validate(object)];
  kind.warnings(object, undefined);
  if (errors.length > 0) return;
  kind.table.row(object, 0);
  const updated = structuredClone(object);
  updated.status = status ?? {};
  kind.prepareForStatusUpdate(updated, object);
  kind.validateStatusUpdate(updated, object);
  kind.validateUpdate(object, object);
  validateObjectMetaUpdate(updated.metadata, object.metadata, kind);
  kind.table.row(updated, 0);
  if (kind === CUSTOM_RESOURCE_DEFINITIONS) customKind(object, object.spec.versions[0].name);
}
