// Kubernetes' own end-to-end suite for Jobs and CronJobs, against the running program: each request as the suite sends it,
// in protobuf, and what it asks of the answers. All at the same time, each in a namespace of its own.
import { Standalone, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { CRON_JOB_TESTS } from "./kubernetes_suite/cron_job_tests.ts";
import { startSuite } from "./kubernetes_suite/framework.ts";
import { JOB_TESTS } from "./kubernetes_suite/job_tests.ts";
import { ProtobufClient } from "./kubernetes_suite/protobuf_client.ts";
import { runTrials } from "./kubernetes_suite/run_trials.ts";

test("what Kubernetes' suite tries with Jobs and CronJobs holds", async (context) => {
  await using folder = await temporaryFolder();
  await using standalone = await Standalone.start(`${folder.path}/data`);
  using client = new ProtobufClient(standalone.kubeconfig);
  const cluster = { node: await startSuite(client) };
  await runTrials(context, client, cluster, { job: JOB_TESTS, cronjob: CRON_JOB_TESTS });
});
