import { assertEquals } from "@std/assert";
import { JOBS } from "../../../../src/apiserver/kinds/job.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { table } from "../../../support/table.ts";
import { changeRefusals, made, refusals, type RefusedRow, refusedTable, shown } from "../../support/made.ts";

const TEMPLATE = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] } };
const INDEXED = { completionMode: "Indexed", completions: 3, parallelism: 1 };
const jobOf = (spec: Json) => ({ spec: { template: TEMPLATE, ...spec } });
const failure = (...rules: Json[]) => ({ podFailurePolicy: { rules } });

const UID = "11111111-2222-3333-4444-555555555555";
const LABELS_OF_OTHERS =
  `{"app":"a","batch.kubernetes.io/controller-uid":"${UID}","batch.kubernetes.io/job-name":"y",` +
  `"controller-uid":"${UID}","job-name":"y"}`;

const JOBS_REFUSED: readonly RefusedRow[] = [
  ["more failures than indexes", { ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 4 }, [
    "spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions",
  ]],
  ["a limit of failed indexes without one for each", { ...INDEXED, maxFailedIndexes: 1 }, [
    "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
  ]],
  ["many indexes that may all fail", {
    ...INDEXED,
    completions: 200_000,
    parallelism: 20_000,
    backoffLimitPerIndex: 1,
  }, [
    "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
    "spec.parallelism: Invalid value: 20000: must be less than or equal to 10000 when completions are above 100000 " +
    "and used with backoff limit per index",
  ]],
  ["too much at once", { ...INDEXED, parallelism: 100_001 }, [
    "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed",
  ]],
  ["a manager with a long name", { managedBy: `a.b/${"x".repeat(60)}` }, [
    "spec.managedBy: Too long: may not be more than 63 bytes",
  ]],
  ["a manager without a path", { managedBy: "a.b/ü" }, [
    `spec.managedBy: Invalid value: "ü": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
  ]],
  [
    "Pods that never end",
    { template: { spec: { restartPolicy: "Sometimes", containers: TEMPLATE.spec.containers } } },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      'spec.template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: "OnFailure", "Never"',
    ],
  ],
  ["a rule that does nothing", failure({ onPodConditions: [{ type: "a b", status: "" }] }), [
    'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
    'spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: "a b": name part must consist of alphanumeric ' +
    "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  " +
    "or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ]],
  ["a rule about nothing", failure({ action: "FailJob" }), [
    "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
  ]],
  [
    "a rule for indexes without a limit of theirs",
    failure({
      action: "FailIndex",
      onExitCodes: { operator: "In", values: [1] },
    }),
    ['spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set'],
  ],
  ["no exit codes", failure({ action: "FailJob", onExitCodes: { operator: "" } }), [
    'spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
    "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: null: at least one value is required",
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
      "spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items",
      "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
    ],
  ],
  ["a failure policy, and replacing Pods before they have failed", {
    ...failure({ action: "Count", onExitCodes: { operator: "In", values: [1] } }),
    podReplacementPolicy: "TerminatingOrFailed",
  }, ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"']],
  ["labels of another, and a selector that no label of its own answers", {
    selector: { matchLabels: { "job-name": "x", app: "a" } },
    template: { metadata: { labels: { "job-name": "y", "batch.kubernetes.io/job-name": "y", app: "a" } }, ...TEMPLATE },
  }, [
    "spec.template.metadata.labels[job-name]: Invalid value: " + LABELS_OF_OTHERS + ": must be 'x'",
    "spec.template.metadata.labels[batch.kubernetes.io/job-name]: Invalid value: " + LABELS_OF_OTHERS + ": must be 'x'",
    "spec.selector: Invalid value: " +
    `{"matchLabels":{"app":"a","batch.kubernetes.io/controller-uid":"${UID}","job-name":"x"}}: ` +
    "`selector` not auto-generated",
    "spec.template.metadata.labels: Invalid value: " + LABELS_OF_OTHERS +
    ": `selector` does not match template `labels`",
  ]],
  ["a selector that is none", { selector: { matchExpressions: [{ key: "a", operator: "Is" }] } }, [
    'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
  ]],
  ["a mode of completion that is none, and limits of indexes", { completionMode: "Each", backoffLimitPerIndex: 1 }, [
    'spec.completionMode: Unsupported value: "Each": supported values: "NonIndexed", "Indexed"',
  ]],
  ["success by indexes in no order", {
    ...INDEXED,
    successPolicy: { rules: [{ succeededIndexes: "0-1,2-2" }, { succeededIndexes: "+1" }] },
  }, [
    'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-1,2-2": error parsing succeededIndexes: ' +
    "non-increasing order, previous: 2, current: 2",
  ]],
  ["a success policy without indexes", { successPolicy: { rules: [{ succeededCount: 1 }] } }, [
    'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: ' +
    "requires indexed completion mode",
  ]],
  [
    "a selector in Go's order",
    { selector: { matchExpressions: [{ key: "a", operator: "Exists" }], matchLabels: {} } },
    [
      'spec.selector: Invalid value: {"matchLabels":{"batch.kubernetes.io/controller-uid":' +
      `"${UID}"},"matchExpressions":[{"key":"a","operator":"Exists"}]}: \`selector\` not auto-generated`,
      "spec.template.metadata.labels: Invalid value: " +
      `{"batch.kubernetes.io/controller-uid":"${UID}","batch.kubernetes.io/job-name":"x","controller-uid":"${UID}",` +
      '"job-name":"x"}: `selector` does not match template `labels`',
    ],
  ],
  ["success of more than there is", { ...INDEXED, successPolicy: { rules: [{ succeededCount: 4 }, {}] } }, [
    "spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or equal to 3 " +
    "(the number of specified completions)",
    "spec.successPolicy.rules[1]: Required value: at least one of succeededCount or succeededIndexes must be specified",
  ]],
];

refusedTable(
  "a Job",
  JOBS_REFUSED.map(([title, spec, errors]) => [title, jobOf(spec), errors]),
  (job) => refusals(JOBS, job),
);

const IMMUTABLE = "field is immutable";
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
  ["affinity to nodes while it is suspended", { suspend: true }, (spec) => {
    spec.template.spec.affinity = { nodeAffinity: {} };
  }, []],
  ["affinity to Pods while it is suspended", { suspend: true }, (spec) => {
    spec.template.spec.affinity = { podAffinity: {} };
  }, ["spec.template.spec"]],
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
  }, Array(4).fill("metadata.labels")],
  ["when it was made", {}, (_spec, job) => {
    job.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
  }, ["metadata.deletionTimestamp", "metadata.deletionTimestamp"]],
];

table("a change of a Job", CHANGES, (spec, change, fields) => {
  const old = made(JOBS, jobOf(spec)), next = structuredClone(old);
  change(next.spec, next);
  const errors = changeRefusals(JOBS, old, next);
  assertEquals(errors.map((error) => error.replace(/: [\s\S]*/, "")), fields);
  assertEquals(errors.filter((error) => error.startsWith("spec.template:") && !error.endsWith(IMMUTABLE)), []);
});

const TRUE = (...types: string[]) => types.map((type) => ({ type, status: "True" }));
const START = "2026-01-01T00:00:00Z", END = "2026-01-01T00:01:00Z";
const DONE = { startTime: START, completionTime: END, conditions: TRUE("SuccessCriteriaMet", "Complete") };

const STATUSES: readonly [title: string, spec: Json, old: Json, status: Json, errors: readonly string[]][] = [
  ["an end that moves", {}, DONE, { ...DONE, completionTime: "2026-01-01T00:02:00Z" }, [
    'status.completionTime: Invalid value: "2026-01-01T00:02:00Z": field is immutable',
  ]],
  ["a start that moves", {}, { startTime: START }, { startTime: END }, [
    'status.startTime: Invalid value: "2026-01-01T00:01:00Z": field is immutable for unsuspended job once set',
  ]],
  ["a start that goes", {}, { startTime: START }, {}, [
    "status.startTime: Invalid value: null: field is immutable for unsuspended job once set",
  ]],
  ["an end before all Pods are counted", {}, {}, { ...DONE, uncountedTerminatedPods: { failed: ["a"] } }, [
    'status.uncountedTerminatedPods: Invalid value: {"Succeeded":null,"Failed":["a"]}: must be empty for finished job',
  ]],
  ["an end before its Pods' ends", {}, {}, { ...DONE, terminating: 1 }, [
    "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
  ]],
  ["fewer failures", {}, { failed: 2 }, { failed: 1 }, [
    "status.failed: Invalid value: 1: cannot decrease the failed counter",
  ]],
  ["no failures any more", {}, { failed: 2 }, {}, [
    "status.failed: Invalid value: 0: cannot decrease the failed counter",
  ]],
  ["an index both failed and done", { ...INDEXED, backoffLimitPerIndex: 1 }, {}, {
    completedIndexes: "0-1",
    failedIndexes: "1,2",
  }, ['status.failedIndexes: Invalid value: "1,2": failedIndexes and completedIndexes overlap at index: 1']],
  ["indexes beyond all", INDEXED, {}, { completedIndexes: "7" }, [
    'status.completedIndexes: Invalid value: "7": error parsing completedIndexes: too large index: "7"',
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
      "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
      "status.conditions: Invalid value: cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
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
  assertEquals(shown(JOBS.validateStatusUpdate(next, old, { now: 0 })), errors);
});
