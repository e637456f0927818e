// The program takes up an API whose CRD comes after it, and leaves one whose CRD goes: it looks each 30 seconds.
import { assertEquals, assertMatch } from "@std/assert";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { JOBS, LEASES } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { eventually, PROGRAM, RunningProgram } from "../support/program.ts";
import { test } from "../support/test.ts";
import { cronJobOf } from "../support/cron_job.ts";

test("a CRD that is installed, deleted and installed again while the controller leads has its CronJobs run", async () => {
  await using api = await startTestApiServer();
  const { client, server: { kubeconfigPath } } = api;
  const args = ["--kubeconfig", kubeconfigPath, "--leader-elect", "--leader-election-namespace", "default"];
  const endpoints = ["--metrics-bind-address", "0", "--health-probe-bind-address", "127.0.0.1:0"];
  await using program = new RunningProgram([...PROGRAM, "controller", ...args, ...endpoints]);
  await program.waitFor(
    /Reconciling .*batch\/v1 \(adopted\).*cronjob-controller\.dev\/v1: the cluster does not have it/,
  );
  const isReady = async () => {
    const { status, text } = await program.ask("health", "/readyz?verbose");
    return status === 200 && text;
  };
  assertMatch(await eventually("it is ready", isReady), /cache\/cronjobs\.batch/);
  const lease = async () => {
    const { metadata } = await client.get(LEASES, { namespace: "default", name: "cronjob-controller" });
    return JSON.parse(metadata.annotations!["cronjob-controller.dev/serves"]!).apis;
  };

  for (const round of [1, 2]) {
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
    const name = `often-${round}`;
    const cronJob = cronJobOf(PRODUCTION, { name, spec: { schedule: "@every 1s" } });
    await eventually("the API is served", () => client.create(PRODUCTION.resource, cronJob).catch(() => undefined));
    await eventually("its CronJob runs", async () => {
      const { items } = await client.list(JOBS, { namespace: "default" });
      return items.filter(({ metadata }) => metadata.name.startsWith(`${name}-`)).length >= 2;
    });
    assertMatch(await eventually("it is ready", isReady), /cache\/cronjobs\.cronjob-controller\.dev/);
    await eventually("the Lease says so", async () => (await lease()).includes("cronjob-controller.dev/v1"));
    await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: "cronjobs.cronjob-controller.dev" });
    await program.waitFor(/but not .*cronjob-controller\.dev\/v1: the cluster does not have it/, { count: round + 1 });
    await eventually("it is ready without that API", isReady);
    await eventually("the Lease says so", async () => !(await lease()).includes("cronjob-controller.dev/v1"));
  }
  assertEquals((await program.end("SIGTERM")).code, 0, program.output);
});
