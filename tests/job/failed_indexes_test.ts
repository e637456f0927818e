import type { JobSpecPart } from "./support/objects.ts";
import { condition, done, failures, INDEXED, running, table } from "./support/decision_table.ts";

/** The second failed index ends the Job. */
const ONE_ALLOWED: JobSpecPart = {
  ...INDEXED,
  completions: 5,
  parallelism: 5,
  backoffLimitPerIndex: 0,
  maxFailedIndexes: 1,
};
const OVER = { conditions: [condition("FailureTarget", "MaxFailedIndexesExceeded")] };
const FAIL_INDEX = { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [9] } }] };
const failed = (index: number, more = {}) => done("Failed", { index, annotations: failures(0), ...more });

table("decide() names the failed indexes when maxFailedIndexes is exceeded", [
  ["all whose Pods failed at the same moment", {
    spec: ONE_ALLOWED,
    status: running(5, { failedIndexes: "" }),
    pods: { a: failed(0), b: { index: 1 }, c: failed(2), d: failed(3), e: { index: 4 } },
  }, {
    store: {
      verdict: "FailureTarget=True MaxFailedIndexesExceeded",
      failedIndexes: "0,2,3",
      uncountedTerminatedPods: { failed: ["uid-a", "uid-c", "uid-d"] },
      ends: undefined,
    },
  }],
  ["those that were counted before as well", {
    spec: ONE_ALLOWED,
    status: running(4, { failedIndexes: "0", failed: 1 }),
    pods: { b: failed(1), c: failed(2), d: { index: 3 }, e: { index: 4 } },
  }, {
    store: {
      failedIndexes: "0-2",
      failed: 1,
      uncountedTerminatedPods: { failed: ["uid-b", "uid-c"] },
      verdict: "FailureTarget=True MaxFailedIndexesExceeded",
    },
  }],
  ["in the one write that ends the Job, if nothing runs", {
    spec: ONE_ALLOWED,
    status: running(3, { failedIndexes: "0", failed: 1, completedIndexes: "4", succeeded: 1 }),
    pods: { b: failed(1), c: failed(2), d: failed(3) },
  }, {
    store: { ends: "Failed=True MaxFailedIndexesExceeded", failedIndexes: "0-3", completedIndexes: "4", failed: 4 },
  }],
  ["not those that may still be tried", {
    spec: { ...ONE_ALLOWED, backoffLimitPerIndex: 1 },
    status: running(3, { failedIndexes: "0", failed: 2 }),
    pods: { b: failed(1, { annotations: failures(1) }), c: failed(2), d: { index: 3 } },
  }, {
    store: {
      failedIndexes: "0,1",
      uncountedTerminatedPods: { failed: ["uid-b", "uid-c"] },
      verdict: "FailureTarget=True MaxFailedIndexesExceeded",
    },
  }],
  ["also those that FailIndex fails below their limit", {
    spec: { ...ONE_ALLOWED, backoffLimitPerIndex: 3, podFailurePolicy: FAIL_INDEX },
    status: running(3, { failedIndexes: "0", failed: 1 }),
    pods: { b: failed(1, { exitCode: 9 }), c: failed(2, { exitCode: 9 }), d: failed(3), e: { index: 4 } },
  }, {
    store: {
      failedIndexes: "0-2",
      verdict: "FailureTarget=True MaxFailedIndexesExceeded",
      uncountedTerminatedPods: { failed: ["uid-b", "uid-c", "uid-d"] },
    },
  }],
  ["also those whose Pods are on their way out", {
    spec: ONE_ALLOWED,
    status: running(2, { failedIndexes: "0", failed: 1 }),
    pods: { b: failed(1), c: { index: 2, deleting: true, annotations: failures(0) } },
  }, {
    store: {
      failedIndexes: "0-2",
      terminating: 1,
      ends: undefined,
      uncountedTerminatedPods: { failed: ["uid-b", "uid-c"] },
      verdict: "FailureTarget=True MaxFailedIndexesExceeded",
    },
  }],
  ["but under podReplacementPolicy Failed only once they have failed", {
    spec: { ...ONE_ALLOWED, podReplacementPolicy: "Failed" },
    status: running(2, { failedIndexes: "0", failed: 1 }),
    pods: {
      b: failed(1),
      c: { index: 2, deleting: true, annotations: failures(0) },
      d: failed(3, { deleting: true }),
    },
  }, {
    store: {
      failedIndexes: "0,1,3",
      terminating: 1,
      ends: undefined,
      uncountedTerminatedPods: { failed: ["uid-b", "uid-c", "uid-d"] },
      verdict: "FailureTarget=True MaxFailedIndexesExceeded",
    },
  }],
  ["not one that has succeeded by another Pod", {
    spec: ONE_ALLOWED,
    status: running(3, { failedIndexes: "0", failed: 1 }),
    pods: { b: failed(1), c: failed(2), c2: done("Succeeded", { index: 2, deleting: true }), d: { index: 3 } },
  }, {
    store: {
      failedIndexes: "0,1",
      completedIndexes: "2",
      uncountedTerminatedPods: { failed: ["uid-b", "uid-c"] },
      succeeded: 1,
      verdict: "FailureTarget=True MaxFailedIndexesExceeded",
    },
  }],
  ["more of them than the status can list Pods", {
    spec: { ...ONE_ALLOWED, completions: 700, parallelism: 700 },
    status: running(700, { failedIndexes: "" }),
    pods: Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`p${i}`, i < 650 ? failed(i) : { index: i }])),
  }, {
    store: {
      failedIndexes: "0-649",
      verdict: "FailureTarget=True MaxFailedIndexesExceeded",
      uncountedTerminatedPods: { failed: Array.from({ length: 500 }, (_, i) => `uid-p${i}`) },
    },
  }],
  ["also where something else fails the Job", {
    spec: { ...ONE_ALLOWED, maxFailedIndexes: undefined, backoffLimit: 1 },
    status: running(3, { failedIndexes: "" }),
    pods: { a: failed(0), b: { index: 1 }, c: failed(2) },
  }, {
    store: {
      verdict: "FailureTarget=True BackoffLimitExceeded",
      failedIndexes: "0,2",
      uncountedTerminatedPods: { failed: ["uid-a", "uid-c"] },
    },
  }],
]);

table("decide() names failed indexes after the verdict is stored", [
  ["one whose Pod had failed, unseen, before it could be stopped", {
    spec: ONE_ALLOWED,
    status: running(1, { failedIndexes: "0,1", uncountedTerminatedPods: { failed: ["uid-a", "uid-b"] }, ...OVER }),
    pods: { a: failed(0), b: failed(1), c: failed(2), d: { index: 3, deleting: true } },
  }, { store: { failedIndexes: "0-2", uncountedTerminatedPods: { failed: ["uid-a", "uid-b", "uid-c", "uid-d"] } } }],
  ["the same after a restart, with all else counted", {
    spec: ONE_ALLOWED,
    status: running(0, { failedIndexes: "0,1", failed: 2, ...OVER }),
    pods: { c: failed(2) },
  }, { store: { ends: "Failed=True MaxFailedIndexesExceeded", failedIndexes: "0-2", failed: 3 } }],
  ["none whose Pod was stopped and is on its way out", {
    spec: ONE_ALLOWED,
    status: running(2, { failedIndexes: "0,1", failed: 2, ...OVER }),
    pods: { c: { index: 2, deleting: true, annotations: failures(0) } },
  }, { store: { failedIndexes: "0,1", terminating: 1, uncountedTerminatedPods: { failed: ["uid-c"] } } }],
  ["none whose Pod was stopped and ended in failure", {
    spec: ONE_ALLOWED,
    status: running(0, { terminating: 1, failedIndexes: "0,1", failed: 2, ...OVER }),
    pods: { c: failed(2, { deleting: true }) },
  }, { store: { ends: "Failed=True MaxFailedIndexesExceeded", failedIndexes: "0,1", failed: 3 } }],
  ["none that may have been tried again", {
    spec: { ...ONE_ALLOWED, backoffLimitPerIndex: 1 },
    status: running(0, { failedIndexes: "0,1", failed: 4, ...OVER }),
    pods: { c: failed(2) },
  }, { store: { ends: "Failed=True MaxFailedIndexesExceeded", failedIndexes: "0,1", failed: 5 } }],
  ["one that failed before the success policy's verdict stopped it", {
    spec: { ...INDEXED, backoffLimitPerIndex: 0, successPolicy: { rules: [{ succeededCount: 1 }] } },
    status: running(1, {
      completedIndexes: "2",
      succeeded: 1,
      failedIndexes: "",
      conditions: [condition("SuccessCriteriaMet", "SuccessPolicy")],
    }),
    pods: { a: failed(0), b: failed(1, { deleting: true }) },
  }, { store: { ends: "Complete=True SuccessPolicy", failedIndexes: "0", failed: 1 } }],
  ["none once the Job has finished", {
    spec: ONE_ALLOWED,
    status: running(0, {
      failedIndexes: "0,1",
      failed: 2,
      conditions: [condition("Failed", "MaxFailedIndexesExceeded")],
    }),
    pods: { c: failed(2) },
  }, { untrack: ["c"] }],
]);
