import { assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { CRON_JOBS } from "../../../src/apiserver/kinds/cron_job.ts";
import { customKind } from "../../../src/apiserver/kinds/custom.ts";
import { patchType, readPatch } from "../../../src/apiserver/patch/patch.ts";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import type { FieldValidation } from "../../../src/apiserver/schema/decode.ts";
import { test } from "../../support/test.ts";
import { JUNK, withJunk } from "../support/junk.ts";
import { WIDGETS } from "../support/widgets.ts";

const NOW = 0;
const LIVE: Json = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "r", namespace: "n" },
  spec: {
    schedule: "@daily",
    jobTemplate: {
      metadata: {},
      spec: { template: { metadata: {}, spec: { containers: [{ name: "a", resources: {} }] } } },
    },
  },
  status: {},
};

function patch(mediaType: string, body: unknown, fieldValidation: FieldValidation = "Warn") {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const options = {
    kind: CRON_JOBS,
    subresource: "",
    fieldManager: "me",
    force: false,
    fieldValidation,
  };
  return readPatch(patchType(mediaType, CRON_JOBS), new TextEncoder().encode(text), options).patch(LIVE, NOW);
}

test("a strategic patch leaves the type of an object; any other patch must leave it", () => {
  for (const body of [{ apiVersion: "batch/v2" }, { kind: "Job" }, { $patch: "delete" }]) {
    const { apiVersion, kind } = patch("application/strategic-merge-patch+json", body).object;
    assertEquals([apiVersion, kind], ["batch/v1", "CronJob"], JSON.stringify(body));
  }
  assertEquals(patch("application/merge-patch+json", { kind: null }).object.kind, "CronJob");
  for (const body of [{ kind: "Job" }, { apiVersion: "batch/v2" }, { apiVersion: "a/b/c" }]) {
    const refusal = assertThrows(() => patch("application/merge-patch+json", body), Refusal, "kind CronJob");
    assertEquals(refusal.code, 422);
  }
});

const FUTURE = { spec: { jobTemplate: { spec: { template: { spec: { fieldFromTheFuture: { a: [1] } } } } } } };
const FUTURE_PATH = "spec.jobTemplate.spec.template.spec.fieldFromTheFuture";

for (const type of ["application/merge-patch+json", "application/strategic-merge-patch+json"]) {
  test(`${type}: a field of a Pod template that only a newer Kubernetes knows is kept, and reported`, () => {
    const { object, warnings } = patch(type, FUTURE);
    assertEquals(object.spec.jobTemplate.spec.template.spec.fieldFromTheFuture, { a: [1] });
    assertEquals(warnings, [`unknown field "${FUTURE_PATH}"`]);
    const refusal = assertThrows(() => patch(type, FUTURE, "Strict"), Refusal, `unknown field "${FUTURE_PATH}"`);
    assertEquals(refusal.code, 422);
  });

  test(`${type}: an unknown field elsewhere is dropped, and reported`, () => {
    const { object, warnings } = patch(type, { spec: { nope: 1 } });
    assertEquals(object.spec.nope, undefined);
    assertEquals(warnings, ['unknown field "spec.nope"']);
    assertEquals(patch(type, { spec: { nope: 1 } }, "Ignore").warnings, []);
  });
}

test("apply keeps a field of a Pod template that only a newer Kubernetes knows, and refuses one elsewhere", () => {
  const { apiVersion, kind, metadata } = LIVE;
  const apply = (content: Json) => patch("application/apply-patch+yaml", { apiVersion, kind, metadata, ...content });
  const { object, warnings } = apply(FUTURE);
  assertEquals(object.spec.jobTemplate.spec.template.spec.fieldFromTheFuture, { a: [1] });
  assertEquals(warnings, [`unknown field "${FUTURE_PATH}"`]);
  assertThrows(() => apply({ spec: { nope: 1 } }), Refusal, ".spec.nope: there is no such field");
});

test("apply says once of an item that it is of the wrong type", () => {
  const { apiVersion, kind, metadata } = LIVE;
  const spec = { jobTemplate: { spec: { template: { spec: { containers: ["x"] } } } } };
  assertThrows(
    () => patch("application/apply-patch+yaml", { apiVersion, kind, metadata, spec }),
    Refusal,
    "cannot apply the configuration: .spec.jobTemplate.spec.template.spec.containers[0]: must be an object",
  );
  try {
    patch("application/apply-patch+yaml", { apiVersion, kind, metadata, spec });
  } catch (error) {
    assertEquals((error as Error).message.match(/containers\[0\]/g)?.length, 1);
  }
});

test("a patch that gives a key twice is reported", () => {
  const { warnings } = patch("application/merge-patch+json", '{"spec":{"suspend":true,"suspend":false}}');
  assertEquals(warnings, ['duplicate field "spec.suspend"']);
});

test("of a JSON patch is reported what its operations say twice, and what the object does not know", () => {
  const text = '[{"op":"add","path":"/spec/nope","value":1},' +
    '{"op":"add","path":"/a","path":"/spec/another","value":{"a":1,"a":2}}]';
  const complaints = [
    'duplicate field "[1].path"',
    'duplicate field "[1].value.a"',
    'unknown field "spec.nope"',
    'unknown field "spec.another"',
  ];
  assertEquals(patch("application/json-patch+json", text).warnings, complaints);
  const refusal = assertThrows(() => patch("application/json-patch+json", text, "Strict"), Refusal);
  assertEquals(refusal.message.endsWith(`strict decoding error: ${complaints.join(", ")}`), true);
});

test("custom objects take no strategic merge patch", () => {
  const type = "application/strategic-merge-patch+json";
  assertEquals(patchType(type, CRON_JOBS), "strategic");
  assertThrows(
    () => patchType(type, customKind(WIDGETS, "v1")),
    Refusal,
    "application/merge-patch+json, application/apply",
  );
});

const PATCHES: [string, Json][] = [
  ["application/json-patch+json", [{ op: "replace", path: "/spec/suspend", value: true }, {
    op: "test",
    path: "/kind",
  }]],
  ["application/merge-patch+json", LIVE],
  ["application/strategic-merge-patch+json", {
    metadata: { "$deleteFromPrimitiveList/finalizers": ["a"], finalizers: ["b"] },
    spec: {
      jobTemplate: {
        spec: {
          template: {
            spec: {
              "$setElementOrder/containers": [{ name: "a" }],
              containers: [{ name: "a", env: [{ name: "X", $patch: "delete" }], $retainKeys: ["name", "env"] }],
              volumes: [{ name: "v", $retainKeys: ["name"] }, { $patch: "replace" }],
            },
          },
        },
      },
    },
  }],
  ["application/apply-patch+yaml", LIVE],
];

for (const [type, sound] of PATCHES) {
  test(`${type}: junk anywhere in a patch is refused, or taken, and never breaks the server`, () => {
    fc.assert(
      fc.property(fc.nat(), JUNK, (place, junk) => {
        try {
          patch(type, withJunk(sound, place, junk));
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
}
