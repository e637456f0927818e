// Failures that are reported, by the whole program as processes.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { createHmac } from "node:crypto";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { installOf } from "../../src/manifests/install.ts";
import { objectsOf } from "../../src/manifests/objects.ts";
import { destinationOf } from "../../src/manifests/receivers.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { Life } from "../manifests/support/cron_job_life.ts";
import { Installed } from "../manifests/support/installed.ts";
import { Receiver } from "../notifications/support/receiver.ts";
import { atLeast, must } from "../support/expected.ts";
import { eventually, kubectlOk, runProgram, Standalone, temporaryFolder } from "../support/program.ts";
import { shellCronJob } from "../support/shell_cron_job.ts";
import { test } from "../support/test.ts";

/** Its run fails unless the folder has a file `mended`. */
function cronJob(folder: string): string {
  return shellCronJob("report", `echo working; test -e ${folder}/mended || exit 3`, {
    labels: { "cronjob-controller.dev/ping": "true" },
  });
}

function linesOf(file: string): Promise<string[]> {
  return Deno.readTextFile(file).then((text) => text.split("\n").slice(0, -1), () => []);
}

test("standalone reports a failure by a command, again under the same id after a SIGKILL, and the recovery", async () => {
  await using folder = await temporaryFolder();
  await using receiver = new Receiver();
  const { path } = folder;
  await Deno.writeTextFile(`${path}/report.yaml`, cronJob(path));
  await Deno.writeTextFile(`${path}/key`, "ping-key-1\n");
  // The first time it hangs, until it is overtaken by the program's end.
  const line =
    '"$EVENT $NOTIFICATION_ID $CRONJOB_NAMESPACE/$CRONJOB_NAME $EXIT_CODE $FAILURES_IN_A_ROW $(cat "$LOG_FILE")"';
  const hook = `printf '%s\\n' ${line} >> ${path}/told; cat >> ${path}/stdin; [ -e ${path}/goes-on ] || sleep 4`;
  const flags = ["--on-failure", hook, "--on-recovery", hook, "--hook-interval", "1s"];
  const pings = ["--ping-url", receiver.url.href, "--ping-key-file", `${path}/key`, "--ping-slug", "laptop"];
  const args = ["--apply-once", `${path}/report.yaml`, ...flags, ...pings];
  const trigger = (kubeconfig: string, value: string) =>
    kubectlOk(kubeconfig, ["annotate", "ccj", "report", "--overwrite", `cronjob-controller.dev/trigger=${value}`]);

  const first = await Standalone.start(`${path}/data`, args);
  await trigger(first.kubeconfig, "1");
  await eventually("it is told", async () => (await linesOf(`${path}/told`)).length === 1);
  const paths = () => receiver.received.map(({ path }) => path.replace(/\?rid=[0-9a-f-]{36}$/, "?rid"));
  await eventually(
    "it is pinged",
    () => Promise.resolve(paths().some((path) => path.includes("/default_report__ccj/3"))),
  );
  await first.program.end("SIGKILL");
  await Deno.writeTextFile(`${path}/goes-on`, "");

  await using second = await Standalone.start(`${path}/data`, args);
  const [before, again] = atLeast(
    2,
    await eventually("it is told again", async () => {
      const lines = await linesOf(`${path}/told`);
      return lines.length === 2 && lines;
    }),
  );
  assertMatch(before, /^failed run-failed-\w+ default\/report 3 1 working$/);
  assertEquals(again, before);
  const record = await eventually("it is recorded", async () => {
    const text = await kubectlOk(second.kubeconfig, ["get", "ccj", "report", "-o", "yaml"]);
    return text.includes("cronjob-controller.dev/notified") && text;
  });
  assertMatch(record, /"inARow":1/);
  await Deno.writeTextFile(`${path}/mended`, "");
  await trigger(second.kubeconfig, "2");
  const told = await eventually("the recovery is told", async () => {
    const lines = await linesOf(`${path}/told`);
    return lines.length >= 3 && lines;
  });
  assertMatch(must(told[2]), /^recovered run-recovered-\w+ default\/report 0 1 working$/);
  const [facts] = (await linesOf(`${path}/stdin`)).map((line) => JSON.parse(line));
  assertEquals([facts.event, facts.name, facts.exitCode, facts.reason], [
    "failed",
    "report",
    3,
    "BackoffLimitExceeded",
  ]);

  await eventually("pings", () => Promise.resolve(paths().includes("/ping-key-1/default_report__ccj?rid")));
  assertEquals(paths().filter((path) => path.includes("report")).slice(0, 2), [
    "/ping-key-1/default_report__ccj/start?rid",
    "/ping-key-1/default_report__ccj/3?rid",
  ]);
  await eventually("the heartbeat", () => Promise.resolve(paths().includes("/ping-key-1/laptop")));
  assertEquals((await linesOf(`${path}/told`)).length, 3);
  assert(!`${first.program.output}${second.program.output}`.includes("ping-key-1"));
});

test("standalone reports a schedule that cannot be followed, again under the same id after a SIGKILL, and then no more", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const never = (name: string) => shellCronJob(name, "true", { spec: { schedule: "0 0 31 2 *" } });
  await Deno.writeTextFile(`${path}/never.yaml`, never("never"));
  // The first time it hangs, until the program dies.
  const hook = `echo "$EVENT $NOTIFICATION_ID $MESSAGE" >> ${path}/told; [ -e ${path}/goes-on ] || sleep 60`;
  const args = ["--apply-once", `${path}/never.yaml`, "--on-failure", hook];
  const reported = (count: number) =>
    eventually(`${count} reports`, async () => {
      const lines = await linesOf(`${path}/told`);
      return lines.length >= count && lines;
    });
  const first = await Standalone.start(`${path}/data`, args);
  await reported(1);
  await first.program.end("SIGKILL");
  await Deno.writeTextFile(`${path}/goes-on`, "");
  const second = await Standalone.start(`${path}/data`, args);
  const [before, again] = atLeast(2, await reported(2));
  assertMatch(before, /^not-followed not-followed-\w+ default\/never \(not-followed\): InvalidSchedule: spec.schedule/);
  assertEquals(again, before);
  await eventually(
    "the record",
    async () =>
      (await kubectlOk(second.kubeconfig, ["get", "ccj", "never", "-o", "yaml"])).includes("reported-troubles"),
  );
  await second.program.end("SIGKILL");
  await using third = await Standalone.start(`${path}/data`, args);
  await kubectlOk(third.kubeconfig, ["create", "-f", "-"], never("nor-this"));
  assertMatch(must((await reported(3)).at(-1)), /default\/nor-this/);
  assertEquals((await linesOf(`${path}/told`)).length, 3);
});

test("standalone reports a run that succeeded and says that it did nothing, and status shows it", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const script = 'echo "rows: 0" > "$TERMINATION_MESSAGE_PATH"';
  const spec = { schedule: "@every 2s", expect: { messagePattern: "*rows: [1-9]*" } };
  await Deno.writeTextFile(`${path}/export.yaml`, shellCronJob("export", script, { spec }));
  const hook = `printf '%s\\n' "$EVENT $MESSAGE" >> ${path}/told`;
  const args = ["--apply-once", `${path}/export.yaml`, "--on-failure", hook, "--notify-on", "suspicious"];
  await using standalone = await Standalone.start(`${path}/data`, args);
  const lines = await eventually("a report", async () => {
    const lines = await linesOf(`${path}/told`);
    return lines.length > 0 && lines;
  });
  assertMatch(
    must(lines[0]),
    /^suspicious default\/export \(suspicious\): export-\d+ succeeded and said "rows: 0"; messagePattern is /,
  );
  // Between the end of a run and the look at its Pod it is not known.
  await eventually(
    "it is shown",
    async () => (await runProgram(["status", "--kubeconfig", standalone.kubeconfig])).stdout.includes("Suspicious"),
  );
});

test("on a cluster the leader alone notifies, with its own rights, signed, until the receiver takes it, and keeps its keys", async () => {
  await using folder = await temporaryFolder();
  await using receiver = new Receiver();
  const { path } = folder;
  const key = "k".repeat(32);
  for (
    const [name, entry, text] of [["notify-secret", "secret", `whsec_${btoa(key)}`], [
      "ping-key",
      "key",
      "ping-key-1",
    ]] as const
  ) {
    await Deno.mkdir(`${path}/${name}`);
    await Deno.writeTextFile(`${path}/${name}/${entry}`, text);
  }
  const urls = { webhook: new URL("/in/secret-path", receiver.url), pings: new URL("/ping", receiver.url) };
  const receivers = (["webhook", "pings"] as const).map((kind) => {
    const url = urls[kind];
    const form = kind === "webhook" ? "cloudevents" : undefined;
    return { kind, url: url.href, form, secret: "s", destination: destinationOf(url) };
  });
  const install = { ...installOf("base"), apis: [PRODUCTION], receivers };
  const objects = JSON.stringify(objectsOf(install)).replaceAll("/etc/cronjob-controller", path);
  await using installed = await Installed.start(JSON.parse(objects));
  await installed.namespace("shop");
  const anyPort = ["--metrics-bind-address", "127.0.0.1:0", "--log-level", "debug"];
  const replicas = [installed.startReplica(...anyPort), installed.startReplica(...anyPort)];
  const life = new Life(installed.client, "shop");
  let refusals = 2;
  receiver.answer = ({ path }) => new Response("", { status: path.startsWith("/in") && refusals-- > 0 ? 500 : 200 });

  await life.create(PRODUCTION, "report", {});
  await installed.client.patch(PRODUCTION.resource, { namespace: "shop", name: "report" }, {
    type: "merge",
    body: { metadata: { labels: { "cronjob-controller.dev/ping": "true" } } },
  });
  await life.trigger(PRODUCTION, "report", "1");
  const [job] = atLeast(1, await life.jobs("report", 1));
  await fail(installed, job);
  const events = await eventually("it is told", () => {
    const events = receiver.received.filter(({ path }) => path.startsWith("/in"));
    return Promise.resolve(events.length === 3 && events);
  });
  for (const { path, headers, body } of events) {
    const [id, timestamp] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
    const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
    assertEquals([path, headers.get("webhook-signature")], ["/in/secret-path", `v1,${signature}`]);
    assertEquals([body, id], [must(events[0]).body, JSON.parse(body).id]);
  }
  const { type, data } = JSON.parse(must(events[0]).body);
  assertEquals([type, data.job, data.detail], ["dev.cronjob-controller.run.failed", job.metadata.name, "exit 3"]);

  const recorded = await eventually("it is recorded", async () => {
    const { metadata } = await installed.client.get(PRODUCTION.resource, { namespace: "shop", name: "report" });
    return metadata.annotations?.["cronjob-controller.dev/notified"];
  });
  assertMatch(recorded, /"inARow":1/);
  const pings = ["cronjob-controller", "shop_report__ccj/start", "shop_report__ccj/fail"];
  const pinged = await eventually("pings", () => {
    const paths = receiver.received.map(({ path }) => path.replace(/\?rid=.*/, "")).filter((path) =>
      !path.startsWith("/in")
    );
    return Promise.resolve(paths.length >= pings.length && paths);
  });
  assertEquals(pinged.sort(), pings.map((end) => `/ping/ping-key-1/${end}`).sort());
  const exposed = await Promise.all(replicas.map(async (replica) => (await replica.ask("metrics", "/metrics")).text));
  const counted = 'cronjob_controller_notifications_total{channel="webhook",outcome="sent"} 1';
  assertEquals(exposed.filter((text) => text.includes(counted)).length, 1);
  for (const replica of replicas) await replica.end("SIGTERM");
  const said = [...replicas.map(({ output }) => output), ...exposed].join("");
  for (const secret of ["ping-key-1", btoa(key), "secret-path"]) assert(!said.includes(secret), secret);
  assertEquals((await installed.requests()).filter(({ responseStatus }) => responseStatus.code === 403), []);
});

/** As a Job controller would. */
async function fail({ client }: Installed, { metadata: { namespace, name } }: Job): Promise<void> {
  const time = formatTime(Date.now());
  const condition = (type: string) => ({
    type,
    status: "True",
    lastTransitionTime: time,
    reason: "BackoffLimitExceeded",
    message: "exit 3",
  });
  const status = { startTime: time, failed: 1, conditions: [condition("FailureTarget"), condition("Failed")] };
  await client.patch(JOBS, { namespace, name }, { type: "merge", body: { status } }, { subresource: "status" });
}
