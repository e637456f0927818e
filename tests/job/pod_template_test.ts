import { assert, assertEquals, assertMatch } from "@std/assert";
import { INDEX_FAILURE_COUNT_ANNOTATION, INDEX_IGNORED_FAILURE_COUNT_ANNOTATION } from "../../src/job/api/names.ts";
import { viewPod } from "../../src/job/api/pod_view.ts";
import { makePod as newPod, newPodName, podNamePrefix } from "../../src/job/decision/pod_template.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { makeJob, makePod } from "./support/objects.ts";

test("A Pod has what ties it to its Job", () => {
  const job = makeJob();
  job.spec!.template.metadata!.annotations = { note: "kept" };
  job.spec!.template.metadata!.finalizers = ["example.com/mine"];
  const { metadata } = newPod(job, {}, "work-abcde");
  assertEquals(metadata, {
    name: "work-abcde",
    generateName: "work-",
    namespace: "default",
    labels: { "batch.kubernetes.io/controller-uid": "job-uid", "batch.kubernetes.io/job-name": "work" },
    annotations: { note: "kept" },
    finalizers: ["example.com/mine", "batch.kubernetes.io/job-tracking"],
    ownerReferences: [{
      apiVersion: "batch/v1",
      kind: "Job",
      name: "work",
      uid: "job-uid",
      controller: true,
      blockOwnerDeletion: true,
    }],
  });
});

test("A Pod has every field of its template's spec, known or not", () => {
  const job = makeJob();
  const spec = { ...job.spec!.template.spec, fieldFromTheFuture: { deep: [1] } };
  job.spec!.template.spec = spec as never;
  const pod = newPod(job, {}, "work-abcde");
  assertEquals(pod.spec, spec as never);
  assert(pod.spec !== job.spec!.template.spec, "it is a copy");
});

test("A Pod of an Indexed Job knows its index", () => {
  const job = makeJob({ completionMode: "Indexed", completions: 5 });
  job.spec!.template.spec!.initContainers = [{ name: "init", image: "none" }];
  job.spec!.template.spec!.containers.push({
    name: "own",
    image: "none",
    env: [{ name: "JOB_COMPLETION_INDEX", value: "mine" }],
  });
  const { metadata, spec } = newPod(job, { index: 3 }, "work-3-abcde");
  assertEquals(metadata.annotations, { "batch.kubernetes.io/job-completion-index": "3" });
  assertEquals(metadata.labels!["batch.kubernetes.io/job-completion-index"], "3");
  assertEquals([metadata.generateName, spec!.hostname], ["work-3-", "work-3"]);
  const index = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
  };
  assertEquals(spec!.containers.map(({ env }) => env), [[index], [{ name: "JOB_COMPLETION_INDEX", value: "mine" }]]);
  assertEquals(must(spec!.initContainers![0]).env, [index]);
});

test("A Pod carries on the failures of the one before it", () => {
  const job = makeJob({
    completionMode: "Indexed",
    backoffLimitPerIndex: 3,
    podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [7] } }] },
  });
  const counts = (annotations: Record<string, string>, exitCode: number) => {
    const follows = viewPod(makePod("before", { phase: "Failed", index: 0, exitCode, annotations }));
    const after = newPod(job, { index: 0, follows }, "x").metadata.annotations!;
    return [after[INDEX_FAILURE_COUNT_ANNOTATION], after[INDEX_IGNORED_FAILURE_COUNT_ANNOTATION]];
  };
  assertEquals(newPod(job, { index: 0 }, "x").metadata.annotations![INDEX_FAILURE_COUNT_ANNOTATION], "0");
  assertEquals(counts({ [INDEX_FAILURE_COUNT_ANNOTATION]: "1" }, 1), ["2", undefined]);
  assertEquals(counts({ [INDEX_FAILURE_COUNT_ANNOTATION]: "1" }, 7), ["1", "1"]);
  assertEquals(counts({ [INDEX_IGNORED_FAILURE_COUNT_ANNOTATION]: "2" }, 1), ["1", "2"]);
});

test("Names of Pods are at most 63 characters, with the index in full", () => {
  assertEquals(podNamePrefix("work"), "work-");
  assertEquals(podNamePrefix("work", 12), "work-12-");
  const long = "j".repeat(63);
  assertEquals(podNamePrefix(long), `${"j".repeat(57)}-`);
  assertEquals(podNamePrefix(long, 1000), `${"j".repeat(52)}-1000-`);
  assertMatch(newPodName(long, 1000, Math.random), /^j{52}-1000-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});
