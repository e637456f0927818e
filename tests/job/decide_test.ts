import { assert, assertEquals } from "@std/assert";
import type { JobStatus } from "kubernetes-types/batch/v1";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { test } from "../support/test.ts";
import { condition, decideOn, done, failures, INDEXED, running, STARTED, table } from "./support/decision_table.ts";
import { type JobSpecPart, NOW, type PodPart } from "./support/objects.ts";

table("decide() starts Pods", [
  ["one for a plain Job", {}, { create: 1 }],
  ["as many as parallelism", { spec: { parallelism: 3, completions: 5 } }, { create: 3 }],
  ["never more than completions are missing", {
    spec: { parallelism: 5, completions: 7 },
    status: running(0, { succeeded: 5 }),
  }, { create: 2 }],
  ["only those that are missing", {
    spec: { parallelism: 3, completions: 5 },
    status: running(2),
    pods: { a: {}, b: {} },
  }, { create: 1 }],
  ["none at parallelism 0", { spec: { parallelism: 0 }, status: running(0) }, { wait: undefined }],
  ["500 at a time at most", { spec: { parallelism: 800, completions: 800 } }, { create: 500 }],
  ["none when it has no completions to reach", { spec: { completions: 0 } }, {
    store: { ends: "Complete=True CompletionsReached", succeeded: undefined },
  }],
  ["without completions: as many as parallelism", { spec: { parallelism: 2, completions: undefined } }, { create: 2 }],
  ["without completions: none after a success", {
    spec: { parallelism: 2, completions: undefined },
    status: running(1, { succeeded: 1 }),
    pods: { a: {} },
  }, { wait: undefined }],
  ["none for a Job that is being deleted", { job: { deletionTimestamp: formatTime(NOW) }, status: running(0) }, {
    wait: undefined,
  }],
  ["none while creations fail, and says so in the status", {
    spec: { parallelism: 3, completions: 3 },
    pods: { a: {} },
    held: true,
  }, { store: { active: 1, startTime: formatTime(NOW) } }],
]);

table("decide() removes Pods", [
  ["above parallelism, the least useful first", {
    spec: { parallelism: 1, completions: 3 },
    status: running(3),
    pods: { ready: { ready: true }, unready: {}, pending: { phase: "Pending" } },
  }, { remove: ["pending", "unready"] }],
  ["whose removal had begun when it was interrupted", {
    spec: { parallelism: 2, completions: 2 },
    status: running(2),
    pods: { a: { tracked: false }, b: {} },
  }, { remove: ["a"] }],
  ["that run on when all completions are reached", {
    spec: { parallelism: 2, completions: 2 },
    status: running(2, { succeeded: 2 }),
    pods: { a: {} },
  }, { remove: ["a"], afterCompletion: true }],
  ["of an index that another has", {
    spec: { parallelism: 3, completions: 3, completionMode: "Indexed" },
    status: running(3),
    pods: { old: { index: 0, createdMsAgo: 9_000 }, young: { index: 0, createdMsAgo: 5_000 }, other: { index: 1 } },
  }, { remove: ["young"] }],
  ["of two alike with an index the same, in whatever order they are listed", {
    spec: { parallelism: 1, completions: 1, completionMode: "Indexed" },
    status: running(2),
    pods: { b: { index: 0 }, a: { index: 0 } },
  }, { remove: ["a"] }],
  ["without a valid index", {
    spec: { parallelism: 2, completions: 2, completionMode: "Indexed" },
    status: running(3),
    pods: { zero: { index: 0 }, none: {}, far: { index: 2 } },
  }, { remove: ["far", "none"] }],
  ["of a suspended Job, all of them", {
    spec: { suspend: true, parallelism: 2, completions: 2 },
    status: running(2),
    pods: { a: {}, b: {} },
  }, { remove: ["a", "b"] }],
]);

table("decide() counts Pods", [
  ["a success is listed before its finalizer goes", {
    spec: { parallelism: 1, completions: 2 },
    status: running(1),
    pods: { a: done("Succeeded"), b: {} },
  }, { store: { uncountedTerminatedPods: { succeeded: ["uid-a"] }, succeeded: undefined, active: 1 } }],
  ["its finalizer goes once it is listed", {
    spec: { parallelism: 1, completions: 2 },
    status: running(1, { uncountedTerminatedPods: { succeeded: ["uid-a"] } }),
    pods: { a: done("Succeeded"), b: {} },
  }, { untrack: ["a"] }],
  ["the counter rises once the finalizer is gone", {
    spec: { parallelism: 1, completions: 2 },
    status: running(1, { uncountedTerminatedPods: { succeeded: ["uid-a"] } }),
    pods: { a: done("Succeeded", { tracked: false }), b: {} },
  }, { store: { uncountedTerminatedPods: {}, succeeded: 1 } }],
  ["also when the Pod itself is gone", {
    spec: { parallelism: 1, completions: 2 },
    status: running(1, { uncountedTerminatedPods: { failed: ["uid-a"] } }),
    pods: { b: {} },
  }, { store: { uncountedTerminatedPods: {}, failed: 1 } }],
  ["the counter alone waits for company", {
    spec: { parallelism: 1, completions: 2 },
    status: running(1, { uncountedTerminatedPods: { succeeded: ["uid-a"] } }),
    pods: { b: {} },
    statusHeld: true,
  }, { wait: 400 }],
  ["a listed Pod is not listed again", {
    spec: { parallelism: 1, completions: 3 },
    status: running(1, { uncountedTerminatedPods: { succeeded: ["uid-a"] } }),
    pods: { a: done("Succeeded"), b: {}, c: done("Failed", { endedMsAgo: 20_000 }) },
  }, { store: { uncountedTerminatedPods: { succeeded: ["uid-a"], failed: ["uid-c"] }, succeeded: undefined } }],
  ["an index that succeeded needs no list", {
    spec: { parallelism: 2, completions: 3, completionMode: "Indexed" },
    status: running(2, { completedIndexes: "2", succeeded: 1 }),
    pods: { a: done("Succeeded", { index: 0 }), b: { index: 1 } },
  }, { store: { completedIndexes: "0,2", succeeded: 2, uncountedTerminatedPods: {} } }],
  ["a second success of an index is not counted", {
    spec: { parallelism: 1, completions: 2, completionMode: "Indexed" },
    status: running(1, { completedIndexes: "0", succeeded: 1 }),
    pods: { a: done("Succeeded", { index: 0 }), b: { index: 1 } },
  }, { untrack: ["a"] }],
  ["a success of an index that was scaled away is not counted", {
    spec: { parallelism: 1, completions: 1, completionMode: "Indexed" },
    status: running(1),
    pods: { a: done("Succeeded", { index: 3 }), b: { index: 0 } },
  }, { untrack: ["a"] }],
  ["completions scaled down leave complete only what is in range", {
    spec: { parallelism: 1, completions: 2, completionMode: "Indexed" },
    status: running(1, { completedIndexes: "0,3", succeeded: 2 }),
    pods: { b: { index: 1 } },
  }, { store: { completedIndexes: "0", succeeded: 1 } }],
  ["a deleted Pod is a failure under TerminatingOrFailed", {
    status: running(1),
    pods: { a: { deleting: true }, b: {} },
    failures: [],
  }, { store: { uncountedTerminatedPods: { failed: ["uid-a"] }, terminating: 1, active: 1 } }],
  ["and none under Failed, until it has ended", {
    spec: { podReplacementPolicy: "Failed" },
    status: running(0, { terminating: 1 }),
    pods: { a: { deleting: true } },
  }, { wait: undefined }],
  ["a Job that is being deleted lets all Pods go", {
    job: { deletionTimestamp: formatTime(NOW) },
    status: running(1),
    pods: { a: {} },
  }, { untrack: ["a"] }],
  ["500 UIDs at a time at most", {
    spec: { parallelism: 1, completions: 800 },
    status: running(0),
    pods: { z: {}, ...Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`p${i}`, done("Succeeded")])) },
  }, { store: { uncountedTerminatedPods: { succeeded: Array.from({ length: 500 }, (_, i) => `uid-p${i}`) } } }],
  ["ready and terminating Pods", {
    spec: { parallelism: 3, completions: 3, podReplacementPolicy: "Failed" },
    status: running(2),
    pods: { a: { ready: true }, b: { ready: true }, c: { deleting: true, ready: true } },
  }, { store: { active: 2, ready: 2, terminating: 1 } }],
]);

table("decide() ends a Job", [
  ["whose last Pod has succeeded, in one write", { status: running(1), pods: { a: done("Succeeded") } }, {
    store: {
      ends: "Complete=True CompletionsReached",
      verdict: "SuccessCriteriaMet=True CompletionsReached",
      succeeded: 1,
      active: undefined,
      uncountedTerminatedPods: {},
      completionTime: formatTime(NOW),
    },
  }],
  ["at the time at which its last Pod succeeded, if that is seen later", {
    status: running(1),
    pods: { a: done("Succeeded", { endedMsAgo: 7_000 }) },
  }, { store: { ends: "Complete=True CompletionsReached", succeeded: 1, completionTime: formatTime(NOW - 7_000) } }],
  ["but not before it started", {
    status: running(1),
    pods: { a: done("Succeeded", { endedMsAgo: 70_000 }) },
  }, { store: { ends: "Complete=True CompletionsReached", succeeded: 1, completionTime: formatTime(NOW - 10_000) } }],
  ["and takes the finalizers afterwards", {
    status: running(0, { conditions: [condition("Complete", "x")] }),
    pods: { a: done("Succeeded") },
  }, { untrack: ["a"] }],
  ["and nothing more", {
    status: running(0, { conditions: [condition("Failed", "x")] }),
    pods: { a: done("Failed", { tracked: false }) },
  }, { wait: undefined }],
  ["without completions: when the others have ended too", {
    spec: { parallelism: 2, completions: undefined },
    status: running(1, { uncountedTerminatedPods: { succeeded: ["uid-a"] } }),
    pods: { a: done("Succeeded", { tracked: false }), b: done("Failed") },
  }, { store: { ends: "Complete=True CompletionsReached", succeeded: 1, failed: 1, uncountedTerminatedPods: {} } }],
  ["not before its Pods are gone", {
    spec: { completions: 1 },
    status: running(0, { succeeded: 1 }),
    pods: { a: { deleting: true, tracked: false } },
  }, { store: { ends: undefined, verdict: "SuccessCriteriaMet=True CompletionsReached", terminating: 1 } }],
  ["that failed more often than backoffLimit", {
    spec: { backoffLimit: 1 },
    status: running(1, { failed: 1 }),
    pods: { a: done("Failed") },
  }, { store: { ends: "Failed=True BackoffLimitExceeded", failed: 2, uncountedTerminatedPods: {} } }],
  ["not at backoffLimit itself", { spec: { backoffLimit: 1 }, status: running(1), pods: { a: done("Failed") } }, {
    store: { ends: undefined, uncountedTerminatedPods: { failed: ["uid-a"] } },
  }],
  ["at the first failure with backoffLimit 0", {
    spec: { backoffLimit: 0 },
    status: running(1),
    pods: { a: done("Failed") },
  }, { store: { ends: "Failed=True BackoffLimitExceeded", failed: 1 } }],
  ["by restarts under OnFailure", {
    spec: { backoffLimit: 2, restartPolicy: "OnFailure" },
    status: running(1),
    pods: { a: { restarts: 2 } },
  }, { store: { verdict: "FailureTarget=True BackoffLimitExceeded", ends: undefined, active: 1 } }],
  ["by the first restart under OnFailure with backoffLimit 0", {
    spec: { backoffLimit: 0, restartPolicy: "OnFailure" },
    status: running(1),
    pods: { a: { restarts: 1 } },
  }, { store: { verdict: "FailureTarget=True BackoffLimitExceeded" } }],
  [
    "restarts are nothing under Never",
    { spec: { backoffLimit: 1 }, status: running(1), pods: { a: { restarts: 5 } } },
    { wait: undefined },
  ],
  ["past its deadline", { spec: { activeDeadlineSeconds: 10 }, status: running(1), pods: { a: {} } }, {
    store: { verdict: "FailureTarget=True DeadlineExceeded", ends: undefined },
  }],
  ["past its deadline, and keeps a condition of another's", {
    spec: { activeDeadlineSeconds: 10 },
    status: running(1, { conditions: [condition("Mine", "Seen")] }),
    pods: { a: {} },
  }, { store: { verdict: "FailureTarget=True DeadlineExceeded", foreign: "Mine=True Seen" } }],
  ["stopping what still runs", {
    spec: { parallelism: 2 },
    status: running(2, { conditions: [condition("FailureTarget", "DeadlineExceeded")] }),
    pods: { a: {}, b: {}, c: done("Failed") },
  }, { stop: ["a", "b"] }],
  ["counting what it stopped as failed", {
    status: running(1, { conditions: [condition("FailureTarget", "DeadlineExceeded")] }),
    pods: { a: { deleting: true } },
  }, { store: { uncountedTerminatedPods: { failed: ["uid-a"] }, terminating: 1, active: undefined, ends: undefined } }],
  ["as first decided, whatever happens meanwhile", {
    spec: { backoffLimit: 0 },
    status: running(0, { conditions: [condition("SuccessCriteriaMet", "SuccessPolicy")] }),
    pods: { a: done("Failed") },
  }, { store: { ends: "Complete=True SuccessPolicy", failed: 1 } }],
  ["not yet at its deadline, and looks again then", {
    spec: { activeDeadlineSeconds: 15 },
    status: running(1),
    pods: { a: {} },
  }, { wait: 5_000 }],
]);

table("decide() holds back after failures", [
  ["10 s after the first", {
    status: running(0, { failed: 1 }),
    pods: { a: done("Failed", { tracked: false, endedMsAgo: 4_000 }) },
  }, { wait: 6_000 }],
  ["not after a Pod that it has deleted itself", {
    status: running(0),
    pods: { a: done("Failed", { tracked: false, deleting: true }) },
  }, { create: 1 }],
  ["20 s after the second", {
    status: running(0, { failed: 2 }),
    pods: {
      a: done("Failed", { tracked: false, endedMsAgo: 40_000 }),
      b: done("Failed", { tracked: false, endedMsAgo: 4_000 }),
    },
  }, { wait: 16_000 }],
  ["never more than 10 min", {
    spec: { backoffLimit: 20 },
    status: running(0, { failed: 9 }),
    failures: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  }, { wait: 599_999 }],
  ["no longer than that", {
    status: running(0, { failed: 1 }),
    pods: { a: done("Failed", { tracked: false, endedMsAgo: 10_000 }) },
  }, { create: 1, again: true }],
  ["not for failures before the last success", {
    spec: { completions: 3 },
    status: running(0, { failed: 1, succeeded: 1 }),
    pods: {
      a: done("Failed", { tracked: false, endedMsAgo: 4_000 }),
      b: done("Succeeded", { tracked: false, endedMsAgo: 2_000 }),
    },
  }, { create: 1, again: true }],
  ["also for Pods that are gone since", { status: running(0, { failed: 1 }), failures: [1_000] }, { wait: 9_000 }],
]);

const RULES = {
  rules: [
    { action: "FailJob", onExitCodes: { containerName: "main", operator: "In", values: [42] } },
    { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    { action: "Count", onExitCodes: { operator: "NotIn", values: [7] } },
  ],
};

table("decide() follows the Pod failure policy", [
  ["FailJob ends the Job", {
    spec: { podFailurePolicy: RULES },
    status: running(1),
    pods: { a: done("Failed", { exitCode: 42 }) },
  }, { store: { ends: "Failed=True PodFailurePolicy", failed: 1 } }],
  ["FailJob stops the other Pods", {
    spec: { parallelism: 2, completions: 2, podFailurePolicy: RULES },
    status: running(2),
    pods: { a: done("Failed", { exitCode: 42 }), b: {} },
  }, {
    store: {
      verdict: "FailureTarget=True PodFailurePolicy",
      ends: undefined,
      uncountedTerminatedPods: { failed: ["uid-a"] },
    },
  }],
  ["Ignore counts nothing", {
    spec: { podFailurePolicy: RULES, backoffLimit: 0 },
    status: running(1),
    pods: {
      a: done("Failed", { conditions: [{ type: "DisruptionTarget", status: "True" }], endedMsAgo: 11_000 }),
      b: {},
    },
  }, { untrack: ["a"] }],
  ["Ignore still holds the next Pod back", {
    spec: { podFailurePolicy: RULES, backoffLimit: 0 },
    status: running(0),
    pods: { a: done("Failed", { conditions: [{ type: "DisruptionTarget", status: "True" }], tracked: false }) },
  }, { wait: 10_000 }],
  ["Count counts towards backoffLimit", {
    spec: { podFailurePolicy: RULES, backoffLimit: 0 },
    status: running(1),
    pods: { a: done("Failed") },
  }, { store: { ends: "Failed=True BackoffLimitExceeded", failed: 1 } }],
  ["a Pod on its way out is not judged yet", {
    spec: { podFailurePolicy: RULES, backoffLimit: 0 },
    status: running(0, { terminating: 1 }),
    pods: { a: { deleting: true } },
  }, { wait: undefined }],
  ["FailIndex fails the index at once", {
    spec: {
      completionMode: "Indexed",
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 5,
      podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [9] } }] },
    },
    status: running(2, { failedIndexes: "" }),
    pods: { a: done("Failed", { index: 0, exitCode: 9 }), b: { index: 1 } },
  }, { store: { failedIndexes: "0", uncountedTerminatedPods: { failed: ["uid-a"] }, ends: undefined } }],
]);

table("decide() runs Indexed Jobs", [
  ["lowest indexes first", { spec: { ...INDEXED, parallelism: 2 } }, { create: [0, 1] }],
  ["the gaps", {
    spec: INDEXED,
    status: running(1, { completedIndexes: "0", succeeded: 1 }),
    pods: { b: { index: 1 } },
  }, { create: [2] }],
  ["an index again whose Pod failed, after its back-off", {
    spec: INDEXED,
    status: running(2, { failed: 1 }),
    pods: { a: done("Failed", { index: 1, tracked: false, endedMsAgo: 10_000 }), b: { index: 0 }, c: { index: 2 } },
  }, { create: [1], again: true }],
  ["an index again whose Pod is on its way out", {
    spec: INDEXED,
    status: running(2, { failed: 1 }),
    pods: { a: { index: 1, deleting: true, tracked: false }, b: { index: 0 }, c: { index: 2 } },
  }, { create: [1], again: true }],
  ["but not under Failed before it is gone", {
    spec: { ...INDEXED, podReplacementPolicy: "Failed" },
    status: running(2, { terminating: 1 }),
    pods: { a: { index: 1, deleting: true }, b: { index: 0 }, c: { index: 2 } },
  }, { wait: undefined }],
  ["an index again whose Pod was counted as failed, though it succeeded at last", {
    spec: { ...INDEXED, completions: 1, parallelism: 1 },
    status: running(0, { uncountedTerminatedPods: { failed: ["uid-a"] } }),
    pods: { a: done("Succeeded", { index: 0, deleting: true, endedMsAgo: 10_000 }) },
  }, { create: [0], again: true }],
  ["more of them when completions are scaled up", {
    spec: { ...INDEXED, completions: 5, parallelism: 5 },
    status: running(1, { completedIndexes: "0-2", succeeded: 3 }),
  }, { create: [3, 4] }],
  ["until all are complete", {
    spec: INDEXED,
    status: running(1, { completedIndexes: "0,1", succeeded: 2 }),
    pods: { c: done("Succeeded", { index: 2 }) },
  }, { store: { ends: "Complete=True CompletionsReached", completedIndexes: "0-2", succeeded: 3 } }],
]);

table("decide() limits failures per index", [
  ["a failed Pod stays until its successor is there", {
    spec: { ...INDEXED, backoffLimitPerIndex: 2 },
    status: running(2, { failedIndexes: "" }),
    pods: { a: done("Failed", { index: 0, annotations: failures(0) }), b: { index: 1 }, c: { index: 2 } },
  }, { wait: 10_000 }],
  ["the successor carries its count on", {
    spec: { ...INDEXED, backoffLimitPerIndex: 2 },
    status: running(2, { failedIndexes: "" }),
    pods: {
      a: done("Failed", { index: 0, annotations: failures(0), endedMsAgo: 10_000 }),
      b: { index: 1 },
      c: { index: 2 },
    },
  }, { create: [0], follows: ["a"], again: true }],
  ["each successor carries on the count of its own index", {
    spec: { ...INDEXED, backoffLimitPerIndex: 2 },
    status: running(0, { failedIndexes: "" }),
    pods: {
      b: done("Failed", { index: 0, annotations: failures(1), endedMsAgo: 100_000 }),
      a: done("Failed", { index: 2, annotations: failures(0), endedMsAgo: 100_000 }),
    },
  }, { create: [0, 1, 2], follows: ["b", "", "a"], again: true }],
  ["a successor follows the Pod with the most failures behind it, and of as many the last to end", {
    spec: { ...INDEXED, completions: 2, parallelism: 2, backoffLimitPerIndex: 2 },
    status: running(0, { failedIndexes: "" }),
    pods: {
      a: done("Failed", { index: 0, annotations: failures(1), endedMsAgo: 100_000 }),
      b: done("Failed", { index: 0, annotations: failures(0), endedMsAgo: 90_000 }),
      c: done("Failed", { index: 1, annotations: failures(0), endedMsAgo: 100_000 }),
      d: done("Failed", { index: 1, annotations: failures(0), endedMsAgo: 90_000 }),
    },
  }, { create: [0, 1], follows: ["a", "d"], again: true }],
  ["then the failed one is counted", {
    spec: { ...INDEXED, backoffLimitPerIndex: 2 },
    status: running(3, { failedIndexes: "" }),
    pods: {
      a: done("Failed", { index: 0, annotations: failures(0), endedMsAgo: 10_000 }),
      a2: { index: 0, annotations: failures(1) },
      b: { index: 1 },
      c: { index: 2 },
    },
  }, { store: { uncountedTerminatedPods: { failed: ["uid-a"] }, failedIndexes: "" } }],
  ["an index fails for good above its limit", {
    spec: { ...INDEXED, backoffLimitPerIndex: 1 },
    status: running(2, { failedIndexes: "", failed: 1 }),
    pods: { a: done("Failed", { index: 0, annotations: failures(1) }), b: { index: 1 }, c: { index: 2 } },
  }, { store: { failedIndexes: "0", uncountedTerminatedPods: { failed: ["uid-a"] }, ends: undefined } }],
  ["an index that one Pod failed and another did succeeds", {
    spec: { ...INDEXED, completions: 1, parallelism: 1, backoffLimitPerIndex: 1 },
    status: running(1, { failedIndexes: "" }),
    pods: {
      a: done("Succeeded", { index: 0, deleting: true, annotations: failures(0) }),
      b: done("Failed", { index: 0, annotations: failures(1) }),
    },
  }, {
    store: {
      ends: "Complete=True CompletionsReached",
      completedIndexes: "0",
      failedIndexes: "",
      failed: 1,
      succeeded: 1,
    },
  }],
  ["unless it has failed for good before", {
    spec: { ...INDEXED, completions: 2, parallelism: 1, backoffLimitPerIndex: 1 },
    status: running(1, { failedIndexes: "0", failed: 1 }),
    pods: { a: done("Succeeded", { index: 0, deleting: true, annotations: failures(0) }), b: { index: 1 } },
  }, { untrack: ["a"] }],
  ["other indexes start while one waits", {
    spec: { ...INDEXED, parallelism: 1, backoffLimitPerIndex: 2 },
    status: running(0, { failedIndexes: "" }),
    pods: { a: done("Failed", { index: 0, annotations: failures(0) }) },
  }, { create: [1], again: true }],
  ["the Job fails when nothing else is left", {
    spec: { ...INDEXED, backoffLimitPerIndex: 0 },
    status: running(1, { failedIndexes: "0", failed: 1, completedIndexes: "1", succeeded: 1 }),
    pods: { c: done("Succeeded", { index: 2 }) },
  }, {
    store: {
      ends: "Failed=True FailedIndexes",
      completedIndexes: "1,2",
      failedIndexes: "0",
      succeeded: 2,
      failed: 1,
    },
  }],
  ["more failed indexes than maxFailedIndexes end it at once", {
    spec: { ...INDEXED, backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
    status: running(2, { failedIndexes: "0", failed: 1 }),
    pods: { b: done("Failed", { index: 1, annotations: failures(0) }), c: { index: 2 } },
  }, {
    store: {
      verdict: "FailureTarget=True MaxFailedIndexesExceeded",
      failedIndexes: "0,1",
      ends: undefined,
      uncountedTerminatedPods: { failed: ["uid-b"] },
    },
  }],
  ["backoffLimit holds for all indexes together", {
    spec: { ...INDEXED, backoffLimitPerIndex: 5, backoffLimit: 1 },
    status: running(1, { failedIndexes: "", failed: 1 }),
    pods: { a: done("Failed", { index: 0, annotations: failures(0) }) },
  }, { store: { ends: "Failed=True BackoffLimitExceeded", failed: 2 } }],
]);

table("decide() follows the success policy", [
  ["enough of the named indexes", {
    spec: { ...INDEXED, successPolicy: { rules: [{ succeededIndexes: "0,2", succeededCount: 1 }] } },
    status: running(3),
    pods: { a: { index: 0 }, b: { index: 1 }, c: done("Succeeded", { index: 2 }) },
  }, {
    store: { verdict: "SuccessCriteriaMet=True SuccessPolicy", ends: undefined, completedIndexes: "2", succeeded: 1 },
  }],
  ["all of the named indexes", {
    spec: { ...INDEXED, successPolicy: { rules: [{ succeededIndexes: "0,2" }] } },
    status: running(1, { completedIndexes: "0", succeeded: 1 }),
    pods: { a: { index: 1 }, c: { index: 2 } },
  }, { store: { active: 2, verdict: undefined } }],
  ["what is stopped for it is no failure", {
    spec: { ...INDEXED, backoffLimit: 0, successPolicy: { rules: [{ succeededCount: 1 }] } },
    status: running(2, {
      completedIndexes: "2",
      succeeded: 1,
      active: undefined,
      terminating: 1,
      conditions: [condition("SuccessCriteriaMet", "SuccessPolicy")],
    }),
    pods: { a: { index: 0, deleting: true } },
  }, { untrack: ["a"] }],
  ["also once it has ended", {
    spec: { ...INDEXED, successPolicy: { rules: [{ succeededCount: 1 }] } },
    status: running(0, {
      completedIndexes: "2",
      succeeded: 1,
      conditions: [condition("SuccessCriteriaMet", "SuccessPolicy")],
    }),
    pods: { a: done("Failed", { index: 0, deleting: true }) },
  }, { store: { ends: "Complete=True SuccessPolicy", failed: undefined, succeeded: 1 } }],
  ["nor does it fail its index", {
    spec: { ...INDEXED, backoffLimitPerIndex: 0, successPolicy: { rules: [{ succeededCount: 1 }] } },
    status: running(1, {
      completedIndexes: "2",
      failedIndexes: "1",
      succeeded: 1,
      failed: 1,
      conditions: [condition("SuccessCriteriaMet", "SuccessPolicy")],
    }),
    pods: { a: { index: 0, deleting: true, annotations: failures(0) } },
  }, { store: { failedIndexes: "1", failed: 1, terminating: 1, uncountedTerminatedPods: {} } }],
  ["failed indexes come before it", {
    spec: {
      ...INDEXED,
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 0,
      successPolicy: { rules: [{ succeededCount: 1 }] },
    },
    status: running(2, { failedIndexes: "" }),
    pods: { a: done("Failed", { index: 0, annotations: failures(0) }), c: done("Succeeded", { index: 2 }) },
  }, {
    store: {
      ends: "Failed=True MaxFailedIndexesExceeded",
      failedIndexes: "0",
      succeeded: 1,
      failed: 1,
      completedIndexes: "2",
    },
  }],
]);

const SUSPENDED = condition("Suspended", "JobSuspended");

table("decide() suspends and resumes", [
  ["a Job that never started", { spec: { suspend: true } }, {
    store: { suspended: "Suspended=True JobSuspended", startTime: undefined, active: undefined },
  }],
  ["a Job that has started, which takes its start away", { spec: { suspend: true }, status: running(1) }, {
    store: { suspended: "Suspended=True JobSuspended", startTime: undefined, active: undefined },
  }],
  ["once", { spec: { suspend: true }, status: { conditions: [SUSPENDED] } }, { wait: undefined }],
  ["without a deadline", {
    spec: { suspend: true, activeDeadlineSeconds: 5 },
    status: { ...STARTED, conditions: [SUSPENDED] },
  }, { wait: undefined }],
  ["counting what had ended", {
    spec: { suspend: true, completions: 2 },
    status: running(0, { conditions: [SUSPENDED] }),
    pods: { a: done("Succeeded") },
  }, { store: { uncountedTerminatedPods: { succeeded: ["uid-a"] }, ends: undefined } }],
  ["and it may still complete", { spec: { suspend: true }, status: running(1), pods: { a: done("Succeeded") } }, {
    store: { ends: "Complete=True CompletionsReached", succeeded: 1 },
  }],
  ["with new Pods", { status: { ...STARTED, conditions: [SUSPENDED] } }, { create: 1 }],
  ["with a new start time and deadline", {
    spec: { activeDeadlineSeconds: 5 },
    status: { ...STARTED, conditions: [SUSPENDED] },
    pods: { a: {} },
  }, { store: { suspended: "Suspended=False JobResumed", startTime: formatTime(NOW), active: 1 } }],
  ["with the start time that it has, while it ends", {
    spec: { parallelism: 2, backoffLimit: 0 },
    status: running(1, { conditions: [SUSPENDED, condition("FailureTarget", "BackoffLimitExceeded")] }),
    pods: { a: done("Failed"), b: { deleting: true } },
  }, { store: { startTime: STARTED.startTime, uncountedTerminatedPods: { failed: ["uid-a", "uid-b"] } } }],
]);

const IGNORE_7 = { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [7] } }] };

table("decide() where rules meet", [
  ["FailJob and the last completion: the Job fails", {
    spec: { parallelism: 2, completions: 1, podFailurePolicy: RULES },
    status: running(2),
    pods: { a: done("Failed", { exitCode: 42 }), b: done("Succeeded") },
  }, { store: { ends: "Failed=True PodFailurePolicy", succeeded: 1, failed: 1 } }],
  ["FailJob and the success policy: the Job fails", {
    spec: { ...INDEXED, podFailurePolicy: RULES, successPolicy: { rules: [{ succeededCount: 1 }] } },
    status: running(2),
    pods: { a: done("Failed", { exitCode: 42, index: 0 }), b: done("Succeeded", { index: 1 }) },
  }, { store: { ends: "Failed=True PodFailurePolicy", completedIndexes: "1", succeeded: 1, failed: 1 } }],
  ["backoffLimit and the last completion: the Job fails", {
    spec: { parallelism: 2, completions: 1, backoffLimit: 0 },
    status: running(2),
    pods: { a: done("Failed"), b: done("Succeeded") },
  }, { store: { ends: "Failed=True BackoffLimitExceeded", succeeded: 1, failed: 1 } }],
  ["the deadline and the last completion: the Job fails", {
    spec: { activeDeadlineSeconds: 10 },
    status: running(1),
    pods: { a: done("Succeeded") },
  }, { store: { ends: "Failed=True DeadlineExceeded", succeeded: 1 } }],
  ["the deadline comes before the end of the back-off", {
    spec: { activeDeadlineSeconds: 12 },
    status: running(0, { failed: 1 }),
    pods: { a: done("Failed", { tracked: false }) },
  }, { wait: 2_000 }],
  ["Ignore with backoffLimitPerIndex: the index goes on", {
    spec: { ...INDEXED, completions: 1, parallelism: 1, backoffLimitPerIndex: 0, podFailurePolicy: IGNORE_7 },
    status: running(0, { failedIndexes: "" }),
    pods: { a: done("Failed", { index: 0, exitCode: 7, annotations: failures(0), endedMsAgo: 10_000 }) },
  }, { create: [0], follows: ["a"] }],
  ["FailIndex with maxFailedIndexes 0: the Job fails", {
    spec: {
      ...INDEXED,
      backoffLimitPerIndex: 5,
      maxFailedIndexes: 0,
      podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [9] } }] },
    },
    status: running(1, { failedIndexes: "" }),
    pods: { a: done("Failed", { index: 0, exitCode: 9, annotations: failures(0) }) },
  }, { store: { ends: "Failed=True MaxFailedIndexesExceeded", failedIndexes: "0", failed: 1 } }],
  ["FailIndex below backoffLimit leaves the other indexes alone", {
    spec: {
      ...INDEXED,
      parallelism: 1,
      backoffLimitPerIndex: 5,
      podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [9] } }] },
    },
    status: running(0, { failedIndexes: "0", failed: 1 }),
    pods: { a: done("Failed", { index: 0, exitCode: 9, tracked: false, annotations: failures(0) }) },
  }, { create: [1], again: true }],
  ["resumed under Failed: what is on its way out holds its place", {
    spec: { parallelism: 2, completions: 2, podReplacementPolicy: "Failed" },
    status: { ...STARTED, terminating: 1, conditions: [SUSPENDED] },
    pods: { a: { deleting: true, tracked: false } },
  }, { create: 1, again: true }],
  ["resumed after a failure: the back-off still holds", {
    status: { startTime: formatTime(NOW), failed: 1, conditions: [{ ...SUSPENDED, status: "False" }] },
    pods: { a: done("Failed", { tracked: false, endedMsAgo: 3_000 }) },
  }, { wait: 7_000 }],
  ["suspended past its backoffLimit: the Job fails", {
    spec: { suspend: true, backoffLimit: 0 },
    status: running(1),
    pods: { a: done("Failed") },
  }, { store: { ends: "Failed=True BackoffLimitExceeded", failed: 1 } }],
  ["Pods of a Job that is being deleted are counted no more", {
    spec: { podFailurePolicy: RULES },
    job: { deletionTimestamp: formatTime(NOW) },
    status: running(0),
    pods: { a: done("Failed", { exitCode: 1, conditions: [{ type: "DisruptionTarget", status: "True" }] }) },
  }, { untrack: ["a"] }],
  ["without completions, failures count as long as nothing has succeeded", {
    spec: { parallelism: 2, completions: undefined, backoffLimit: 1 },
    status: running(2),
    pods: { a: done("Failed"), b: done("Failed") },
  }, { store: { ends: "Failed=True BackoffLimitExceeded", failed: 2 } }],
  ["scaled down under Failed: no Pod replaces what is on its way out", {
    spec: { parallelism: 1, completions: 3, podReplacementPolicy: "Failed" },
    status: running(1, { terminating: 1 }),
    pods: { a: {}, b: { deleting: true, tracked: false } },
  }, { wait: undefined }],
  ["a success of a Pod that was already counted as failed counts once", {
    spec: { completions: 1 },
    status: running(1, { uncountedTerminatedPods: { failed: ["uid-a"] } }),
    pods: { a: done("Succeeded", { deleting: true }), b: {} },
  }, { untrack: ["a"] }],
]);

test("decide() keeps fields of the status that it does not know", () => {
  const plan = decideOn({ status: { ...running(0), fromTheFuture: 1 } as JobStatus, pods: { a: {} } });
  assert(plan.kind === "store");
  assertEquals((plan.status as Record<string, unknown>).fromTheFuture, 1);
});

test("decide() says after Kubernetes' own words how the last Pod failed, where one did", () => {
  const said = (spec: JobSpecPart, pods: Record<string, PodPart>) => {
    const plan = decideOn({ spec, status: running(1), pods });
    assert(plan.kind === "store");
    return plan.status.conditions?.find(({ type }) => type === "FailureTarget")?.message;
  };
  assertEquals(
    said({ backoffLimit: 0 }, { a: done("Failed", { exitCode: 3 }) }),
    "Job has reached the specified backoff limit: exit 3",
  );
  assertEquals(said({ activeDeadlineSeconds: 10 }, { a: {} }), "Job was active longer than specified deadline");
});

test("decide() reports more successes than completions", () => {
  const plan = decideOn({
    spec: { completions: 1 },
    status: running(2),
    pods: { a: done("Succeeded"), b: done("Succeeded") },
  });
  assert(plan.kind === "store");
  assertEquals([plan.status.succeeded, plan.news], [2, ["Complete"]]);
});
