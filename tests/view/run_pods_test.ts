import { assertEquals } from "@std/assert";
import { JOBS, PODS } from "../../src/kube/resource.ts";
import { endOfRun } from "../../src/view/run_pods.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { eventually } from "../support/program.ts";
import { startSlowFront } from "../support/slow_front.ts";
import { test } from "../support/test.ts";
import { controlledBy, jobOf } from "../support/job.ts";

test("The Pods of a failed Job are found as Kubernetes older than 1.27 labels them", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  const { client } = api;
  const containers = [{ name: "main", image: "busybox" }];
  const job = await client.create(JOBS, jobOf({ name: "report" }));
  const { metadata } = job;
  const labels = { "job-name": metadata.name };
  const pod = await client.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "report-x", namespace: "default", labels, ownerReferences: [controlledBy(job)] },
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
  assertEquals(await endOfRun(client, { metadata, state: "failed" }), {
    container: "main",
    exitCode: 3,
    reason: "Error",
    message: "no such table",
  });
});

test("A read of Pods that waits in its lane has not left", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  const opened = Promise.withResolvers<void>();
  await using front = startSlowFront(api.server, () => opened.promise, { clock: new FakeClock(), maxInFlight: 1 });
  const left: string[] = [];
  const readings = ["first", "second"].map((name) =>
    endOfRun(front.client, {
      metadata: { namespace: "default", name, uid: name, resourceVersion: "", creationTimestamp: "" },
      state: "failed",
    }, { onLeave: () => void left.push(name) })
  );
  await eventually("a read that waits for its answer", () => Promise.resolve(front.waiting === 1));
  assertEquals(left, ["first"]);
  opened.resolve();
  await Promise.all(readings);
  assertEquals(left, ["first", "second"]);
});
