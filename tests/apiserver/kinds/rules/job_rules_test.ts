import { assertEquals } from "@std/assert";
import { JOBS } from "../../../../src/apiserver/kinds/job.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { table } from "../../../support/table.ts";
import { changeRefusals, made, refusals, type RefusedRow, refusedTable, shown } from "../../support/made.ts";

const TEMPLATE = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] } };
const INDEXED = { completionMode: "Indexed", completions: 3, parallelism: 1 };
const jobOf = (spec: Json) => ({ spec: { template: TEMPLATE, ...spec } });
const failure = (...rules: Json[]) => ({ podFailurePolicy: { rules } });

const JOBS_REFUSED: readonly RefusedRow[] = [
  ["more failures than indexes", { ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 4 }, [
    "spec.maxFailedIndexes: Invalid value",
  ]],
  ["a limit of failed indexes without one for each", { ...INDEXED, maxFailedIndexes: 1 }, [
    "spec.backoffLimitPerIndex: Required value",
  ]],
  ["too much at once", { ...INDEXED, parallelism: 100_001 }, [
    "spec.parallelism: Invalid value",
  ]],
  ["a manager with a long name", { managedBy: `a.b/${"x".repeat(60)}` }, [
    "spec.managedBy: Too long",
  ]],
  ["a manager without a path", { managedBy: "a.b/ü" }, [
    "spec.managedBy: Invalid value",
  ]],
  [
    "Pods that never end",
    { template: { spec: { restartPolicy: "Sometimes", containers: TEMPLATE.spec.containers } } },
    [
      "spec.template.spec.restartPolicy: Unsupported value",
      "spec.template.spec.restartPolicy: Unsupported value",
    ],
  ],
  ["a rule that does nothing", failure({ onPodConditions: [{ type: "a b", status: "" }] }), [
    "spec.podFailurePolicy.rules[0].action: Required value",
    "spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value",
  ]],
  ["a rule about nothing", failure({ action: "FailJob" }), [
    "spec.podFailurePolicy.rules[0]: Invalid value",
  ]],
  [
    "a rule for indexes without a limit of theirs",
    failure({
      action: "FailIndex",
      onExitCodes: { operator: "In", values: [1] },
    }),
    ["spec.podFailurePolicy.rules[0].action: Invalid value"],
  ],
  ["no exit codes", failure({ action: "FailJob", onExitCodes: { operator: "" } }), [
    "spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value",
    "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value",
  ]],
  [
    "too many rules, of which each is looked at",
    failure(
      ...Array.from(
        { length: 21 },
        (_, index) => index ? { action: "Count", onExitCodes: { operator: "In", values: [1] } } : { action: "Count" },
      ),
    ),
    [
      "spec.podFailurePolicy.rules: Too many",
      "spec.podFailurePolicy.rules[0]: Invalid value",
    ],
  ],
  ["a failure policy, and replacing Pods before they have failed", {
    ...failure({ action: "Count", onExitCodes: { operator: "In", values: [1] } }),
    podReplacementPolicy: "TerminatingOrFailed",
  }, ["spec.podReplacementPolicy: Unsupported value"]],
  ["labels of another, and a selector that no label of its own answers", {
    selector: { matchLabels: { "job-name": "x", app: "a" } },
    template: { metadata: { labels: { "job-name": "y", "batch.kubernetes.io/job-name": "y", app: "a" } }, ...TEMPLATE },
  }, [
    "spec.template.metadata.labels[job-name]: Invalid value",
    "spec.template.metadata.labels[batch.kubernetes.io/job-name]: Invalid value",
    "spec.selector: Invalid value",
    "spec.template.metadata.labels: Invalid value",
  ]],
  ["a selector that is none", { selector: { matchExpressions: [{ key: "a", operator: "Is" }] } }, [
    "spec.selector.matchExpressions[0].operator: Invalid value",
  ]],
  ["a mode of completion that is none, and limits of indexes", { completionMode: "Each", backoffLimitPerIndex: 1 }, [
    "spec.completionMode: Unsupported value",
  ]],
  ["success by indexes in no order", {
    ...INDEXED,
    successPolicy: { rules: [{ succeededIndexes: "0-1,2-2" }, { succeededIndexes: "1" }] },
  }, [
    "spec.successPolicy.rules[0].succeededIndexes: Invalid value",
  ]],
  ["a success policy without indexes", { successPolicy: { rules: [{ succeededCount: 1 }] } }, [
    "spec.successPolicy: Invalid value",
  ]],
  [
    "a selector in Go's order",
    { selector: { matchExpressions: [{ key: "a", operator: "Exists" }], matchLabels: {} } },
    [
      "spec.selector: Invalid value",
      "spec.template.metadata.labels: Invalid value",
    ],
  ],
  ["success of more than there is", { ...INDEXED, successPolicy: { rules: [{ succeededCount: 4 }, {}] } }, [
    "spec.successPolicy.rules[0].succeededCount: Invalid value",
    "spec.successPolicy.rules[1]: Required value",
  ]],
];

refusedTable(
  "a Job",
  JOBS_REFUSED.map(([title, spec, errors]) => [title, jobOf(spec), errors]),
  (job) => refusals(JOBS, job),
);

const UNIT = { requests: { cpu: "1" } };

/** What was, what shall be, and what is said. */
const CHANGES: readonly [
  title: string,
  old: Json,
  change: (spec: Json, job: Json) => void,
  errors: readonly string[],
][] = [
  ["resources while it is suspended", { suspend: true }, (spec) => {
    spec.template.spec.containers[0].resources = UNIT;
  }, []],
  ["resources while it runs", {}, (spec) => {
    spec.template.spec.containers[0].resources = UNIT;
  }, ["spec.template"]],
  ["the image while it is suspended", { suspend: true }, (spec) => {
    spec.template.spec.containers[0].image = "other";
  }, ["spec.template.spec"]],
  ["affinity while it is suspended", { suspend: true }, (spec) => {
    spec.template.spec.affinity = { nodeAffinity: {} };
  }, []],
  ["a label that was made for it goes", {}, (spec) => {
    delete spec.template.metadata.labels["controller-uid"];
  }, ["spec.template.metadata.labels[controller-uid]", "spec.template"]],
  ["completions alone", { ...INDEXED, completions: 1 }, (spec) => {
    spec.completions = 2;
  }, ["spec.completions"]],
  ["completions and parallelism together", { ...INDEXED, completions: 1 }, (spec) => {
    spec.completions = spec.parallelism = 2;
  }, []],
  ["a label that cannot be", {}, (_spec, job) => {
    job.metadata.labels = { "a b": "x" };
  }, ["metadata.labels"]],
  ["when it was made", {}, (_spec, job) => {
    job.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
  }, ["metadata.deletionTimestamp"]],
];

table("a change of a Job", CHANGES, (spec, change, fields) => {
  const old = made(JOBS, jobOf(spec)), next = structuredClone(old);
  change(next.spec, next);
  const errors = changeRefusals(JOBS, old, next);
  assertEquals(errors.map((error) => error.replace(/: [\s\S]*/, "")), fields);
});

const TRUE = (...types: string[]) => types.map((type) => ({ type, status: "True" }));
const START = "2026-01-01T00:00:00Z", END = "2026-01-01T00:01:00Z";
const DONE = { startTime: START, completionTime: END, conditions: TRUE("SuccessCriteriaMet", "Complete") };

const STATUSES: readonly [title: string, spec: Json, old: Json, status: Json, errors: readonly string[]][] = [
  ["an end that moves", {}, DONE, { ...DONE, completionTime: "2026-01-01T00:02:00Z" }, [
    "status.completionTime: Invalid value",
  ]],
  ["a start that moves", {}, { startTime: START }, { startTime: END }, [
    "status.startTime: Invalid value",
  ]],
  ["a start that goes", {}, { startTime: START }, {}, [
    "status.startTime: Invalid value",
  ]],
  ["an end before all Pods are counted", {}, {}, { ...DONE, uncountedTerminatedPods: { failed: ["a"] } }, [
    "status.uncountedTerminatedPods: Invalid value",
  ]],
  ["an end before its Pods' ends", {}, {}, { ...DONE, terminating: 1 }, [
    "status.terminating: Invalid value",
  ]],
  ["fewer failures", {}, { failed: 2 }, { failed: 1 }, [
    "status.failed: Invalid value",
  ]],
  ["no failures any more", {}, { failed: 2 }, {}, [
    "status.failed: Invalid value",
  ]],
  ["an index both failed and done", { ...INDEXED, backoffLimitPerIndex: 1 }, {}, {
    completedIndexes: "0-1",
    failedIndexes: "1,2",
  }, ["status.failedIndexes: Invalid value"]],
  ["indexes beyond all", INDEXED, {}, { completedIndexes: "7" }, [
    "status.completedIndexes: Invalid value",
  ]],
  ["indexes beyond all since it was scaled down", INDEXED, { completedIndexes: "7" }, { completedIndexes: "7" }, []],
  ["other indexes beyond all since then", INDEXED, { completedIndexes: "7" }, { completedIndexes: "8" }, [
    "status.completedIndexes: Invalid value",
  ]],
  [
    "success by its policy without its condition",
    {
      ...INDEXED,
      successPolicy: { rules: [{ succeededCount: 1 }] },
    },
    { ...DONE, conditions: [], completionTime: undefined },
    { ...DONE, conditions: TRUE("Complete") },
    [
      "status.conditions: Invalid value",
      "status.conditions: Invalid value",
    ],
  ],
  ["what was wrong before, and something else", {}, { conditions: TRUE("Failed") }, {
    conditions: TRUE("Failed"),
    ready: 0,
  }, []],
];

table("a status of a Job", STATUSES, (spec, before, status, errors) => {
  const old = made(JOBS, jobOf(spec));
  const next = { ...structuredClone(old), status };
  old.status = before;
  assertEquals(shown(JOBS.validateStatusUpdate(next, old)), errors);
});
