import { assertEquals } from "@std/assert";
import { type Job, JOBS, PODS } from "../../src/kube/resource.ts";
import { endOfRun } from "../../src/view/run_pods.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

test("The Pods of a failed Job are found as Kubernetes older than 1.27 labels them", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  const { client } = api;
  const containers = [{ name: "main", image: "busybox" }];
  const { metadata }: Job = await client.create(JOBS, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "report", namespace: "default" },
    spec: { template: { spec: { restartPolicy: "Never", containers } } },
  });
  const { name, uid } = metadata;
  const pod = await client.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "report-x",
      namespace: "default",
      labels: { "job-name": name },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name, uid, controller: true }],
    },
    spec: { containers },
  });
  const state = { terminated: { exitCode: 3, reason: "Error", message: "no such table" } };
  const body = {
    status: {
      phase: "Failed",
      containerStatuses: [{ ...containers[0], imageID: "", ready: false, restartCount: 0, state }],
    },
  };
  await client.patch(PODS, pod.metadata, { type: "merge", body }, { subresource: "status" });
  assertEquals(await endOfRun(client, { namespace: "default", name, uid }), {
    container: "main",
    exitCode: 3,
    reason: "Error",
    message: "no such table",
  });
});
