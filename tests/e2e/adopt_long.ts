// The commands and the controller as processes, beside one that does as kube-controller-manager does, through real minutes.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { stringify } from "yaml";
import { MANAGED, TRIGGER } from "../../src/cronjob/api/annotations.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { loadConnection } from "../../src/kube/connection.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { controllerOf } from "../../src/kube/object.ts";
import { EVENTS, type Job, JOBS } from "../../src/kube/resource.ts";
import {
  eventually,
  kubectlOk,
  NO_ENDPOINTS,
  PROGRAM,
  RunningProgram,
  runProgram,
  Standalone,
  temporaryFolder,
} from "../support/program.ts";
import { repeating } from "../support/repeating.ts";
import { StatusHistory } from "../support/status_history.ts";
import { test } from "../support/test.ts";
import { UpstreamCronJobController } from "../support/upstream_cronjob_controller.ts";
import { manifestOf } from "./support/cluster.ts";

const MINUTE_MS = 60_000;

test("A CronJob goes from one controller to the other and back while its Jobs run, and no minute runs twice or is lost", async () => {
  await using folder = await temporaryFolder();
  await using standalone = await Standalone.start(`${folder.path}/data`, ["--controllers", "job,kubelet,gc"]);
  const { kubeconfig } = standalone;
  await using client = HttpKubeClient.to(await loadConnection({ kubeconfig }));
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProgram([...args, "--kubeconfig", kubeconfig]);
    assertEquals([code, stderr], [0, ""]);
    return stdout;
  };
  const startController = async () => {
    const args = ["controller", "--kubeconfig", kubeconfig, "--api", "batch/v1", "--managed-only", ...NO_ENDPOINTS];
    const program = new RunningProgram([...PROGRAM, ...args]);
    await program.waitFor(/Reconciling/);
    return program;
  };
  const cronJob = () => client.get(BATCH.resource, { namespace: "default", name: "c" });
  const jobs = async () => (await client.list(JOBS, { namespace: "default" })).items;
  const slotOf = ({ metadata }: Job) => Date.parse(metadata.annotations?.[BATCH.scheduledTimeAnnotation] ?? "");
  const jobFor = (slot: number) =>
    eventually(
      `a Job for ${new Date(slot).toISOString()}`,
      async () => (await jobs()).find((job) => slotOf(job) === slot),
      90_000,
    );
  const refusals = async () =>
    (await client.list(EVENTS, { namespace: "default" })).items.filter(({ reason }) => reason === "JobAlreadyActive");

  // Jobs run as long as there is no such file.
  const gate = `${folder.path}/end`;
  const spec = { schedule: "* * * * *", startingDeadlineSeconds: null, concurrencyPolicy: "Forbid" as const };
  const manifest = manifestOf(BATCH, {
    name: "c",
    spec: { ...spec, successfulJobsHistoryLimit: 2 },
    script: `until [ -e ${gate} ]; do sleep 0.1; done`,
  });
  await kubectlOk(kubeconfig, ["apply", "-f", "-"], stringify(manifest));
  // A run is due at once.
  const fiveMinutesAgo = new Date(Date.now() - 5 * MINUTE_MS).toISOString().replace(/\.\d+Z/, "Z");
  await client.patch(BATCH.resource, { namespace: "default", name: "c" }, {
    type: "merge",
    body: { status: { lastScheduleTime: fiveMinutesAgo } },
  }, { subresource: "status" });
  await using statuses = new StatusHistory(client, "default/c");
  const upstream = new UpstreamCronJobController(client, Date.now);
  await using _upstream = repeating(() => upstream.sync(), 200);

  const first = await eventually("its Job", async () => (await jobs()).find(({ status }) => status?.active));
  await (await startController())[Symbol.asyncDispose]();
  await using _controller = await startController();
  assertMatch(await command("adopt", "c", "--dry-run"), /\+ {2}suspend: true/);
  assertMatch(await command("adopt", "c", "--force"), /Adopted CronJob default\/c/);
  await eventually("the Job in our hands", async () => (await jobs()).every((job) => controllerOf(job) === undefined));
  await eventually("quiet", async () => {
    const before = (await cronJob()).metadata.resourceVersion;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return before === (await cronJob()).metadata.resourceVersion;
  });
  upstream.deeds.length = 0;

  // The next minute has to wait for the Job of the other controller.
  const second = slotOf(first) + MINUTE_MS;
  await eventually("the refusal", async () => (await refusals()).length > 0 || Date.now() > second + 20_000, 90_000);
  assertEquals((await jobs()).length, 1);
  await Deno.writeTextFile(gate, "");
  const ours = await jobFor(second);
  assertEquals(ours.metadata.ownerReferences?.[0]?.controller, false);
  await eventually("the end", async () => {
    const { status } = await cronJob();
    return status?.active === undefined && Date.parse(status?.lastScheduleTime ?? "") === second;
  });
  await Deno.remove(gate);
  await kubectlOk(kubeconfig, ["annotate", "cronjob.batch", "c", `${TRIGGER}=by-hand`]);
  const byHand = await eventually(
    "a run by hand",
    async () => (await jobs()).find(({ metadata, status }) => metadata.annotations?.[TRIGGER] && status?.active),
  );
  await eventually("the status", async () => (await cronJob()).status?.active?.length === 1);
  assertEquals(upstream.deeds, []);

  // Back, while a Job runs: the other controller's next minute has to wait for it.
  const released = await command("release", "c");
  assertMatch(released, /- {2}suspend: true\n\+ {2}suspend: false/);
  assertMatch(released, new RegExp(`change hands with it: .*${byHand.metadata.name}`));
  const { metadata, spec: after } = await cronJob();
  assertEquals([metadata.annotations?.[MANAGED], after.suspend], [undefined, false]);
  assert((await jobs()).every((job) => controllerOf(job)?.name === "c"));
  await eventually(
    "the refusal",
    () => Promise.resolve(upstream.deeds.some(({ what }) => what === "JobAlreadyActive")),
    90_000,
  );
  assertEquals(upstream.deeds.filter(({ what }) => what !== "JobAlreadyActive"), []);
  await Deno.writeTextFile(gate, "");
  const last = await eventually(
    "a run of the other controller",
    async () => (await jobs()).find((job) => slotOf(job) > second),
  );
  await eventually("its end", async () => (await cronJob()).status?.active === undefined);
  const created = upstream.deeds.filter(({ what }) => what === "SuccessfulCreate").map(({ jobName }) => jobName);
  assertEquals(created, [last.metadata.name]);
  assertEquals(upstream.deeds.filter(({ what }) => what === "UnexpectedJob" || what === "MissingJob"), []);
  await eventually("the history", async () => (await jobs()).length === 2);
  statuses.assertNeverWentBack();
});
