import { assertEquals } from "@std/assert";
import { IndexSet } from "../../src/job/api/index_set.ts";
import { selects } from "../../src/job/api/label_selector.ts";
import { isOurs } from "../../src/job/api/managed_by.ts";
import { finishedAt, type PodView, viewPod } from "../../src/job/api/pod_view.ts";
import {
  backoffMs,
  backoffUntil,
  DEFAULT_BACKOFF,
  NO_FAILURES,
  recordFailures,
} from "../../src/job/decision/backoff.ts";
import { claimPods, releasePatch } from "../../src/job/decision/claim.ts";
import { matchFailurePolicy } from "../../src/job/decision/pod_failure_policy.ts";
import { byRemovalOrder } from "../../src/job/decision/pod_removal_order.ts";
import { matchSuccessPolicy } from "../../src/job/decision/success_policy.ts";
import { expiryOf } from "../../src/job/ttl_controller.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { makeJob, makePod, NOW, type PodPart } from "./support/objects.ts";

test("The Pod failure policy takes the first rule that a Pod meets", () => {
  const rule = (action: string, operator: string, values: number[], containerName?: string) => ({
    action,
    onExitCodes: { operator, values, containerName },
  });
  const condition = (action: string, type: string, status?: string) => ({
    action,
    onPodConditions: [{ type, status } as { type: string; status: string }],
  });
  const disrupted = { exitCode: 0, conditions: [{ type: "DisruptionTarget", status: "True" }] };
  const table: [rules: Parameters<typeof rulesOf>[0], pod: PodPart, action: string | undefined][] = [
    [[rule("FailJob", "In", [1])], { exitCode: 1 }, "FailJob"],
    [[rule("FailJob", "In", [2])], { exitCode: 1 }, undefined],
    [[rule("Count", "NotIn", [2])], { exitCode: 1 }, "Count"],
    [[rule("Count", "NotIn", [1])], { exitCode: 1 }, undefined],
    [[rule("Ignore", "NotIn", [1])], { exitCode: 0 }, undefined],
    [[rule("Ignore", "In", [1], "other")], { exitCode: 1 }, undefined],
    [[rule("Ignore", "In", [1], "main")], { exitCode: 1 }, "Ignore"],
    [[rule("Ignore", "In", [1]), rule("FailJob", "In", [1])], { exitCode: 1 }, "Ignore"],
    [[rule("Ignore", "In", [3]), rule("FailIndex", "In", [1])], { exitCode: 1 }, "FailIndex"],
    [[condition("Ignore", "DisruptionTarget", "True")], disrupted, "Ignore"],
    [[condition("Ignore", "DisruptionTarget")], disrupted, "Ignore"],
    [[condition("Ignore", "DisruptionTarget", "False")], disrupted, undefined],
    [[condition("FailJob", "ConfigIssue", "True")], disrupted, undefined],
    [
      [rule("FailJob", "In", [1]), condition("Ignore", "DisruptionTarget", "True")],
      { ...disrupted, exitCode: 1 },
      "FailJob",
    ],
  ];
  const rulesOf = (rules: { action: string }[]) => makeJob({ podFailurePolicy: { rules } as never });
  for (const [rules, part, action] of table) {
    const pod = makePod("p", { phase: "Failed", ...part });
    assertEquals(matchFailurePolicy(rulesOf(rules), pod)?.action, action, JSON.stringify([rules, part]));
  }
  const pod = makePod("p", { phase: "Failed", exitCode: 0 });
  pod.status!.initContainerStatuses = makePod("p", { phase: "Failed", exitCode: 3 }).status!.containerStatuses!;
  assertEquals(matchFailurePolicy(rulesOf([rule("FailJob", "In", [3])]), pod)?.action, "FailJob");
});

test("The success policy takes the first rule that the succeeded indexes meet", () => {
  const table: [
    { succeededIndexes?: string; succeededCount?: number }[],
    succeeded: number[],
    rule: number | undefined,
  ][] = [
    [[{ succeededCount: 2 }], [5], undefined],
    [[{ succeededCount: 2 }], [5, 6], 0],
    [[{ succeededIndexes: "0-2" }], [0, 1], undefined],
    [[{ succeededIndexes: "0-2" }], [0, 1, 2, 7], 0],
    [[{ succeededIndexes: "0-2", succeededCount: 2 }], [1, 7, 8], undefined],
    [[{ succeededIndexes: "0-2", succeededCount: 2 }], [1, 2], 0],
    [[{ succeededIndexes: "0" }, { succeededCount: 1 }], [3], 1],
    [[{ succeededIndexes: "90-99" }], [1], undefined],
    [[{ succeededCount: 0 }], [], undefined],
  ];
  for (const [rules, succeeded, rule] of table) {
    const job = makeJob({ completionMode: "Indexed", completions: 10, successPolicy: { rules } });
    const met = matchSuccessPolicy(job, IndexSet.of(succeeded));
    assertEquals(
      met,
      rule === undefined ? undefined : `Matched rules at index ${rule}`,
      JSON.stringify([rules, succeeded]),
    );
  }
  const notIndexed = makeJob({ successPolicy: { rules: [{ succeededCount: 1 }] } });
  assertEquals(matchSuccessPolicy(notIndexed, IndexSet.of([0])), undefined);
});

test("Back-off doubles from 10 s to 10 min", () => {
  const delays = Array.from({ length: 9 }, (_, failures) => backoffMs(failures, DEFAULT_BACKOFF) / 1000);
  assertEquals(delays, [0, 10, 20, 40, 80, 160, 320, 600, 600]);
});

test("Failures are remembered when their Pods are gone, and forgotten after a success", () => {
  const isFailed = ({ phase }: PodView) => phase === "Failed";
  const failed = (name: string, endedMsAgo: number) => viewPod(makePod(name, { phase: "Failed", endedMsAgo }));
  const succeeded = (name: string, endedMsAgo: number) => viewPod(makePod(name, { phase: "Succeeded", endedMsAgo }));

  const one = recordFailures(NO_FAILURES, [failed("a", 9_000)], isFailed);
  const two = recordFailures(one, [failed("b", 5_000)], isFailed);
  assertEquals([...two.failures.values()], [NOW - 9_000, NOW - 5_000]);
  assertEquals(backoffUntil(two, DEFAULT_BACKOFF), NOW + 15_000);
  assertEquals(recordFailures(two, [], isFailed), two);

  const between = recordFailures(two, [succeeded("c", 7_000)], isFailed);
  assertEquals([...between.failures.keys()], ["uid-b"]);
  const after = recordFailures(between, [succeeded("d", 1_000)], isFailed);
  assertEquals(backoffUntil(after, DEFAULT_BACKOFF), undefined);
});

test("A Pod has ended when its last container has, or at the best guess", () => {
  assertEquals(finishedAt(makePod("a", { phase: "Failed", endedMsAgo: 3_000 })), NOW - 3_000);
  const several = makePod("b", { phase: "Failed", endedMsAgo: 3_000 });
  several.status!.containerStatuses!.push({
    ...must(several.status!.containerStatuses![0]),
    state: { terminated: { exitCode: 0, finishedAt: formatTime(NOW - 1_000) } },
  });
  assertEquals(finishedAt(several), NOW - 1_000);
  const sidecar = makePod("c", { phase: "Succeeded", endedMsAgo: 3_000 });
  sidecar.spec!.initContainers = [{ name: "proxy", image: "none", restartPolicy: "Always" }, {
    name: "init",
    image: "none",
  }];
  const statusOf = (name: string, msAgo: number) => ({
    ...must(sidecar.status!.containerStatuses![0]),
    name,
    state: { terminated: { exitCode: 0, finishedAt: formatTime(NOW - msAgo) } },
  });
  sidecar.status!.initContainerStatuses = [statusOf("proxy", 2_000), statusOf("init", 0)];
  assertEquals(finishedAt(sidecar), NOW - 2_000);
  assertEquals(finishedAt(makePod("d", { ready: false, readySinceMs: 5_000 })), NOW - 5_000);
  assertEquals(finishedAt(makePod("e", { deleting: true })), NOW - 30_000);
  assertEquals(finishedAt(makePod("f", { createdMsAgo: 8_000 })), NOW - 8_000);
});

test("Pods that cost least are removed first", () => {
  const order: Record<string, PodPart> = {
    unscheduled: { nodeName: "", phase: "Pending" },
    pending: { phase: "Pending" },
    unready: {},
    "ready, for a shorter time": { ready: true, readySinceMs: 1_000 },
    "ready, restarted more often": { ready: true, readySinceMs: 9_000, restarts: 2 },
    "ready, younger": { ready: true, readySinceMs: 9_000, createdMsAgo: 10_000 },
    "ready, older": { ready: true, readySinceMs: 9_000, createdMsAgo: 20_000 },
  };
  const views = Object.entries(order).map(([name, part]) =>
    viewPod({ ...makePod(name, part), spec: { containers: [], nodeName: part.nodeName ?? "node" } })
  );
  for (const shuffled of [views.toReversed(), [...views.slice(3), ...views.slice(0, 3)]]) {
    assertEquals(shuffled.sort(byRemovalOrder).map(({ pod }) => pod.metadata.name), Object.keys(order));
  }
});

test("A selector means what Kubernetes means by it", () => {
  const labels = { app: "a", tier: "x" };
  const table: [selector: Parameters<typeof selects>[0], matches: boolean][] = [
    [undefined, false],
    [{}, false],
    [{ matchLabels: { app: "a" } }, true],
    [{ matchLabels: { app: "a", tier: "y" } }, false],
    [{ matchExpressions: [{ key: "app", operator: "In", values: ["a", "b"] }] }, true],
    [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["a"] }] }, false],
    [{ matchExpressions: [{ key: "none", operator: "NotIn", values: ["a"] }] }, true],
    [{ matchExpressions: [{ key: "app", operator: "Exists" }] }, true],
    [{ matchExpressions: [{ key: "app", operator: "DoesNotExist" }] }, false],
    [{ matchLabels: { app: "a" }, matchExpressions: [{ key: "tier", operator: "Unheard" }] }, false],
    [{ matchLabels: { app: "a" }, matchExpressions: null as never }, true],
    [{ matchLabels: null as never, matchExpressions: [{ key: "app", operator: "In", values: null as never }] }, false],
  ];
  for (const [selector, matches] of table) assertEquals(selects(selector, labels), matches, JSON.stringify(selector));
});

test("managedBy decides whose a Job is", () => {
  const table: [managedBy: string | undefined, managed: boolean, all: boolean][] = [
    [undefined, false, true],
    ["kubernetes.io/job-controller", false, true],
    ["cronjob-controller.dev/job-controller", true, true],
    ["example.com/other", false, false],
  ];
  for (const [managedBy, managed, all] of table) {
    const job = makeJob({ managedBy });
    assertEquals([isOurs(job, "managed"), isOurs(job, "all")], [managed, all], managedBy);
  }
});

test("A Job expires its time to live after it has finished", () => {
  const finished = (type: string) => ({
    conditions: [{ type, status: "True", lastTransitionTime: formatTime(NOW) }],
  });
  assertEquals(expiryOf(makeJob({ ttlSecondsAfterFinished: 5 }, finished("Complete"))), NOW + 5_000);
  assertEquals(expiryOf(makeJob({ ttlSecondsAfterFinished: 0 }, finished("Failed"))), NOW);
  assertEquals(expiryOf(makeJob({ ttlSecondsAfterFinished: 5 }, finished("FailureTarget"))), undefined);
  assertEquals(expiryOf(makeJob({}, finished("Complete"))), undefined);
});

test("A Job takes Pods that its selector matches, and lets go of its own that it matches no more", () => {
  const job = makeJob();
  const [own, stray] = [
    makePod("own"),
    makePod("stray", { labels: { "batch.kubernetes.io/controller-uid": "other" } }),
  ];
  const leaving = makePod("leaving", { deleting: true });
  assertEquals(claimPods(job, { controlled: [own, stray], orphans: [own, stray, leaving] }), {
    adopt: [own],
    release: [stray],
  });
  const other = { apiVersion: "v1", kind: "ConfigMap", name: "kept", uid: "other-uid" };
  stray.metadata.ownerReferences!.push(other);
  stray.metadata.finalizers!.push("example.com/keep");
  const { uid, resourceVersion } = stray.metadata;
  assertEquals(releasePatch(job, stray), {
    type: "merge",
    body: { metadata: { uid, resourceVersion, ownerReferences: [other], finalizers: ["example.com/keep"] } },
  });
});
