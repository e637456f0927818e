// What Kubernetes' suite does around its tests, and those of them that take a second or two; all are in
// kubernetes_suite_long.ts.
import { Standalone, temporaryFolder } from "../support/program.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { CRON_JOB_TESTS } from "./kubernetes_suite/cron_job_tests.ts";
import { startSuite } from "./kubernetes_suite/framework.ts";
import { JOB_TESTS } from "./kubernetes_suite/job_tests.ts";
import { ProtobufClient } from "./kubernetes_suite/protobuf_client.ts";
import { runTrials } from "./kubernetes_suite/run_trials.ts";

const JOB = [
  "should manage the lifecycle of a job",
  "should apply changes to a job status",
  "should run a job to completion when tasks succeed",
  "should fail when exceeds active deadline",
  "should fail to exceed backoffLimit",
  "with successPolicy succeededIndexes rule should succeeded even when some indexes remain pending",
  "with successPolicy succeededCount rule should succeeded even when some indexes remain pending",
  "should create pods for an Indexed job with completion indexes and specified hostname",
  "should execute all indexes despite some failing when using backoffLimitPerIndex",
  "should record the failure-count in the Pod annotation when using backoffLimitPerIndex",
  "should terminate job execution when the number of failed indexes exceeds maxFailedIndexes",
  "should mark indexes as failed when the FailIndex action is matched in podFailurePolicy",
  "should adopt matching orphans and release non-matching pods",
  "should update the status ready field",
  "should allow to delegate reconciliation to external controller",
  "should remove pods when job is deleted",
];
const CRON_JOB = ["should support CronJob API operations", "should support timezone"];

test("Kubernetes' suite begins, and its quick tests hold", async (context) => {
  await using folder = await temporaryFolder();
  await using standalone = await Standalone.start(`${folder.path}/data`);
  using client = new ProtobufClient(standalone.kubeconfig);
  const cluster = { node: await startSuite(client) };
  const job = Object.fromEntries(JOB.map((name) => [name, must(JOB_TESTS[name])]));
  const cronjob = Object.fromEntries(CRON_JOB.map((name) => [name, must(CRON_JOB_TESTS[name])]));
  await runTrials(context, client, cluster, { job, cronjob });
});
