import { EXPECT, MANAGED } from "../../../src/cronjob/api/annotations.ts";
import { BATCH, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { cronJobOf, POD_TEMPLATE } from "../../support/cron_job.ts";
import { eventually, PROGRAM, RunningProgram } from "../../support/program.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";

/** What `/metrics` shows of a controller that runs with all it has, once a run has succeeded and another was started. */
export async function shownMetrics(): Promise<string> {
  await using api = await startTestApiServer();
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const often = cronJobOf(BATCH, {
    name: "often",
    annotations: { [MANAGED]: "true", [EXPECT]: '{"minimumDurationSeconds":60}' },
    spec: {
      suspend: true,
      schedule: "@every 1s",
      concurrencyPolicy: "Allow",
      // Jobs of nothing: they succeed without a kubelet.
      jobTemplate: { spec: { completions: 0, template: POD_TEMPLATE } },
    },
  });
  await api.client.create(BATCH.resource, often);
  const spec = { schedule: "@every 1s", timeZone: "Nowhere" };
  await api.client.create(TUTORIAL.resource, cronJobOf(TUTORIAL, { name: "not-followed", spec }));
  const command = [...PROGRAM, "controller", "--kubeconfig", api.server.kubeconfigPath, "--jobs", "all"];
  command.push("--metrics-bind-address", "127.0.0.1:0", "--health-probe-bind-address", "0");
  command.push("--per-cronjob-metrics", "all");
  command.push("--api", "batch/v1", "--api", "batch.tutorial.kubebuilder.io/v1", "--leader-elect");
  // No receiver is there.
  const key = `${api.dataDir}/ping-key`;
  await Deno.writeTextFile(key, "k");
  command.push("--ping-url", "http://127.0.0.1:9", "--ping-key-file", key);
  await using program = new RunningProgram([...command, "--leader-election-namespace", "default"]);
  return await eventually("a run has succeeded", async () => {
    const { text } = await program.ask("metrics", "/metrics");
    return /not_followed\{/.test(text) && /expectation_unmet\{/.test(text) &&
      /last_success_timestamp_seconds\{/.test(text) &&
      /next_run_timestamp_seconds\{/.test(text) && text;
  });
}
