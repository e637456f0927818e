// What Kubernetes' suite does around its tests, and those of them that wait for nothing but the API; all are in
// kubernetes_suite_long.ts.
import { Standalone, temporaryFolder } from "../support/program.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { CRON_JOB_TESTS } from "./kubernetes_suite/cron_job_tests.ts";
import { startSuite } from "./kubernetes_suite/framework.ts";
import { JOB_TESTS } from "./kubernetes_suite/job_tests.ts";
import { ProtobufClient } from "./kubernetes_suite/protobuf_client.ts";
import { runTrials } from "./kubernetes_suite/run_trials.ts";

const JOB = ["should manage the lifecycle of a job", "should apply changes to a job status"];
const CRON_JOB = ["should support CronJob API operations", "should support timezone"];

test("Kubernetes' suite begins, and its tests of the API hold", async (context) => {
  await using folder = await temporaryFolder();
  await using standalone = await Standalone.start(`${folder.path}/data`);
  using client = new ProtobufClient(standalone.kubeconfig);
  const cluster = { node: await startSuite(client) };
  const job = Object.fromEntries(JOB.map((name) => [name, must(JOB_TESTS[name])]));
  const cronjob = Object.fromEntries(CRON_JOB.map((name) => [name, must(CRON_JOB_TESTS[name])]));
  await runTrials(context, client, cluster, { job, cronjob });
});
