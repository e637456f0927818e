import { EXPECT, MANAGED } from "../../../src/cronjob/api/annotations.ts";
import { BATCH, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { eventually, PROGRAM, RunningProgram } from "../../support/program.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";

/** What `/metrics` shows of a controller that runs with all it has, once a run has succeeded and another was started. */
export async function shownMetrics(): Promise<string> {
  await using api = await startTestApiServer();
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const container = { name: "main", image: "busybox" };
  await api.client.create(BATCH.resource, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: {
      name: "often",
      namespace: "default",
      annotations: { [MANAGED]: "true", [EXPECT]: '{"minimumDurationSeconds":60}' },
    },
    spec: {
      suspend: true,
      schedule: "@every 1s",
      concurrencyPolicy: "Allow",
      // Jobs of nothing: they succeed without a kubelet.
      jobTemplate: {
        spec: {
          completions: 0,
          template: { spec: { restartPolicy: "Never", containers: [container] } },
        },
      },
    },
  });
  await api.client.create(TUTORIAL.resource, {
    apiVersion: "batch.tutorial.kubebuilder.io/v1",
    kind: "CronJob",
    metadata: { name: "not-followed", namespace: "default" },
    spec: {
      schedule: "@every 1s",
      timeZone: "Nowhere",
      jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
    },
  });
  const command = [...PROGRAM, "controller", "--kubeconfig", api.server.kubeconfigPath, "--jobs", "all"];
  command.push("--metrics-bind-address", "127.0.0.1:0", "--health-probe-bind-address", "0");
  command.push("--per-cronjob-metrics", "all");
  command.push("--api", "batch/v1", "--api", "batch.tutorial.kubebuilder.io/v1", "--leader-elect");
  // No receiver is there.
  const key = `${api.dataDir}/ping-key`;
  await Deno.writeTextFile(key, "k");
  command.push("--ping-url", "http://127.0.0.1:9", "--ping-key-file", key);
  await using program = new RunningProgram([...command, "--leader-election-namespace", "default"]);
  const [, at] = await program.waitFor(/Serving "?metrics"? on "?([\d.]+:\d+)/);
  return await eventually("a run has succeeded", async () => {
    const text = await (await fetch(`http://${at}/metrics`)).text();
    return /not_followed\{/.test(text) && /expectation_unmet\{/.test(text) &&
      /last_success_timestamp_seconds\{/.test(text) &&
      /next_run_timestamp_seconds\{/.test(text) && text;
  });
}
