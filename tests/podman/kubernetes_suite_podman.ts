// What Kubernetes' suite tries with Jobs, in containers of the images that it uses: what mounts directories, too.
import { JOB_TESTS, MOUNTING_JOB_TESTS } from "../e2e/kubernetes_suite/job_tests.ts";
import { BUSYBOX, PAUSE } from "../e2e/kubernetes_suite/job_fixtures.ts";
import { startSuite } from "../e2e/kubernetes_suite/framework.ts";
import { ProtobufClient } from "../e2e/kubernetes_suite/protobuf_client.ts";
import { runTrials } from "../e2e/kubernetes_suite/run_trials.ts";
import { Standalone, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { ENGINE_FLAGS, importImage } from "./support/engine.ts";

// That of busybox does nothing without a command, that of pause nothing until it is asked to end.
await importImage(BUSYBOX, { words: ["sh"] });
await importImage(PAUSE, { entry: ["/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.1; done"] });

test("what Kubernetes' suite tries with Jobs holds in containers", async (context) => {
  await using folder = await temporaryFolder();
  const hostPath = `${folder.path}/of-jobs`;
  const flags = [...ENGINE_FLAGS, "--allow-host-path", hostPath, "--allow-privileged"];
  await using standalone = await Standalone.start(`${folder.path}/data`, flags);
  using client = new ProtobufClient(standalone.kubeconfig);
  const cluster = { node: await startSuite(client), hostPath };
  await runTrials(context, client, cluster, { job: { ...MOUNTING_JOB_TESTS, ...JOB_TESTS } });
});
