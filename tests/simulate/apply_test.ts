import { assertEquals } from "@std/assert";
import { readCronJob } from "../../src/cronjob/api/cron_job.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { applied } from "../../src/simulate/apply.ts";
import { test } from "../support/test.ts";

const NOW = Date.parse("2026-03-10T09:00:00Z");
const TEMPLATE = { spec: { template: { spec: { containers: [] } } } };
const SPREAD = "cronjob-controller.dev/spread-seconds";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

interface Part {
  readonly spec?: object;
  readonly annotations?: Record<string, string>;
  readonly managedFields?: object[];
}

function cronJob({ spec, annotations, managedFields }: Part) {
  const metadata = {
    name: "a",
    namespace: "b",
    uid: "u",
    resourceVersion: "1",
    generation: 1,
    annotations,
    managedFields,
  };
  return readCronJob(BATCH, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { ...metadata, creationTimestamp: "2026-03-01T00:00:00Z" },
    spec: { schedule: "0 * * * *", jobTemplate: TEMPLATE, ...spec },
  } as unknown as CronJobObject);
}

function notedAsApplied({ spec, annotations }: Part): Record<string, string> {
  return { [LAST_APPLIED]: JSON.stringify({ metadata: { annotations }, spec: { schedule: "0 * * * *", ...spec } }) };
}

function owner(manager: string, operation: "Apply" | "Update", spec: string[], annotations: string[] = []) {
  const owned = (names: string[]) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
  return {
    manager,
    operation,
    fieldsV1: { "f:spec": owned(spec), "f:metadata": { "f:annotations": owned(annotations) } },
  };
}

/** What stands in the cluster, and what is left of it once a manifest is applied that says neither. */
const ROWS: readonly (readonly [who: string, live: Part, suspended: boolean, spread: string | undefined])[] = [
  [
    "what others wrote, where no earlier apply is known",
    { spec: { suspend: true }, annotations: { [SPREAD]: "5" } },
    true,
    "5",
  ],
  [
    "what others wrote, where kubectl notes an earlier apply without it",
    { spec: { suspend: true }, annotations: { [SPREAD]: "5", ...notedAsApplied({}) } },
    true,
    "5",
  ],
  [
    "what an unreadable note of kubectl cannot show",
    { spec: { suspend: true }, annotations: { [SPREAD]: "5", [LAST_APPLIED]: "{" } },
    true,
    "5",
  ],
  [
    "nothing of what kubectl applied before",
    {
      spec: { suspend: true },
      annotations: { [SPREAD]: "5", ...notedAsApplied({ spec: { suspend: true }, annotations: { [SPREAD]: "5" } }) },
    },
    false,
    undefined,
  ],
  [
    "what others wrote, where a manifest was applied by the server",
    {
      spec: { suspend: true },
      annotations: { [SPREAD]: "5" },
      managedFields: [
        owner("kubectl", "Apply", ["schedule", "jobTemplate"]),
        owner("kubectl-patch", "Update", ["suspend"], [SPREAD]),
      ],
    },
    true,
    "5",
  ],
  [
    "nothing of what a manifest alone said that was applied by the server",
    {
      spec: { suspend: true },
      annotations: { [SPREAD]: "5" },
      managedFields: [owner("kubectl", "Apply", ["schedule", "suspend"], [SPREAD])],
    },
    false,
    undefined,
  ],
  [
    "what others own together with a manifest that was applied by the server",
    {
      spec: { suspend: true },
      annotations: { [SPREAD]: "5" },
      managedFields: [
        owner("cronjob-controller-pause", "Apply", ["suspend"], [SPREAD]),
        owner("kubectl", "Apply", ["schedule", "suspend"], [SPREAD]),
      ],
    },
    true,
    "5",
  ],
];

for (const [who, live, suspended, spread] of ROWS) {
  test(`an apply keeps ${who}`, () => {
    const after = applied(cronJob(live), cronJob({ spec: { schedule: "30 * * * *" } }), NOW).cronJob;
    const { schedule, suspend = false } = after.object.spec;
    assertEquals([schedule, suspend, after.metadata.annotations?.[SPREAD]], ["30 * * * *", suspended, spread]);
  });
}

test("an apply keeps what others wrote inside a field that the manifest has", () => {
  const live = { spec: { jobTemplate: { spec: { ...TEMPLATE.spec, backoffLimit: 3, completions: 2 } } } };
  const note = { spec: { jobTemplate: { spec: { completions: 2 } } } };
  const manifest = cronJob({ spec: { schedule: "30 * * * *" } });
  const after = applied(cronJob({ ...live, annotations: notedAsApplied(note) }), manifest, NOW).cronJob;
  assertEquals(after.object.spec.jobTemplate.spec as object, { ...TEMPLATE.spec, backoffLimit: 3 });
});

test("an apply of what is there changes nothing, whatever others wrote", () => {
  const live = cronJob({ spec: { suspend: true }, annotations: { [SPREAD]: "5" } });
  assertEquals(applied(live, cronJob({}), NOW), { change: "Unchanged", cronJob: live, facts: {} });
});
