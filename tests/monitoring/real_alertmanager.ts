// What Debian's Alertmanager makes of notifications: `deno task test:alerts` (needs `prometheus-alertmanager`).
import { assertEquals } from "@std/assert";
import { MANAGED } from "../../src/cronjob/api/annotations.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { AlertmanagerForm } from "../../src/notifications/alertmanager.ts";
import { webhookChannel } from "../../src/notifications/webhook_channel.ts";
import type { RunNotification } from "../../src/notifications/notification.ts";
import { notification } from "../notifications/support/notification.ts";
import { Receiver } from "../notifications/support/receiver.ts";
import { eventually, NO_ENDPOINTS, PROGRAM, RunningProgram, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { jobOf } from "../support/job.ts";

const { signal } = new AbortController();

/** A process of Alertmanager that reports to a receiver at once. */
async function startAlertmanager(folder: string, receiver: Receiver): Promise<[RunningProgram, URL]> {
  const config = {
    route: { receiver: "r", group_wait: "0s", group_interval: "1s", group_by: ["alertname", "cronjob"] },
    receivers: [{ name: "r", webhook_configs: [{ url: new URL("/reported", receiver.url).href }] }],
  };
  await Deno.writeTextFile(`${folder}/config.yml`, JSON.stringify(config));
  const program = new RunningProgram([
    "prometheus-alertmanager",
    `--config.file=${folder}/config.yml`,
    `--storage.path=${folder}/data`,
    "--web.listen-address=127.0.0.1:0",
    "--cluster.listen-address=",
  ]);
  const [, address] = await program.waitFor(/msg="?Listening on"? address=(\S+)/);
  return [program, new URL(`http://${address}`)];
}

test("a controller says to Alertmanager which runs failed", async () => {
  await using folder = await temporaryFolder();
  await using receiver = new Receiver();
  await using api = await startTestApiServer();
  const [program, url] = await startAlertmanager(folder.path, receiver);
  await using _ = program;
  const managed = { name: "report", annotations: { [MANAGED]: "true" }, spec: { suspend: true } };
  const owner = await api.client.create(BATCH.resource, cronJobOf(BATCH, managed));
  // It fails at once.
  await api.client.create(JOBS, jobOf({ name: "report-1", owner, spec: { activeDeadlineSeconds: 1 } }));
  const command = [...PROGRAM, "controller", "--kubeconfig", api.server.kubeconfigPath, "--jobs", "all"];
  command.push("--api", "batch/v1", "--notify-webhook", url.href, "--notify-form", "alertmanager", ...NO_ENDPOINTS);
  await using _controller = new RunningProgram(command);
  const alerts = await eventually("it fires", async () => {
    const firing = await (await fetch(new URL("/api/v2/alerts", url))).json();
    return firing.length === 1 && firing;
  });
  assertEquals(
    alerts.map(({ labels, annotations }: Record<string, Record<string, string>>) => [
      labels?.namespace,
      labels?.cronjob,
      annotations?.summary,
    ]),
    [["default", "report", "default/report: took longer than activeDeadlineSeconds"]],
  );
});

/** Whose run has just ended. */
function at(now: number, more: Partial<RunNotification> = {}): RunNotification {
  const { run } = notification();
  return notification({ since: now, run: { ...run, endTime: now }, ...more });
}

test("Alertmanager shows a failure, keeps it firing as it is repeated, reports it once, and its end", async () => {
  await using folder = await temporaryFolder();
  await using receiver = new Receiver();
  const [program, url] = await startAlertmanager(folder.path, receiver);
  await using _ = program;
  const form = new AlertmanagerForm(url, "");
  const channel = webhookChannel({ clock: new SystemClock(), form, userAgent: "test/1" });
  const alerts = async () => await (await fetch(new URL("/api/v2/alerts", url))).json();
  const reported = () => receiver.received.flatMap(({ body }) => JSON.parse(body).alerts);

  const failedAt = Math.floor(Date.now() / 1_000) * 1_000;
  const failed = at(failedAt);
  assertEquals(await channel.deliver(failed, signal), "sent");
  const [first] = await eventually("it fires", async () => {
    const firing = await alerts();
    return firing.length === 1 && reported().length === 1 && firing;
  });
  assertEquals([first.labels.cronjob, first.annotations.summary, first.status.state], [
    "report",
    "shop/report: exit 3",
    "active",
  ]);
  assertEquals(first.generatorURL, "https://kubernetes.default.svc/apis/batch/v1/namespaces/shop/cronjobs/report");

  // Five minutes after the failure it would have ended.
  const record = { inARow: 1, toldAt: failedAt, failures: [{ uid: "j", endTime: failedAt }] };
  const reminders = form.remindersOf([{ cronJob: failed.cronJob, record }], failedAt + 60_000);
  for (const request of reminders) await channel.send(request, signal);
  const [again, ...others] = await alerts();
  assertEquals([others, again.fingerprint, again.startsAt], [[], first.fingerprint, first.startsAt]);
  assertEquals(Date.parse(again.endsAt), failedAt + 6 * 60_000);

  assertEquals(await channel.deliver(at(failedAt + 1, { kind: "recovered" }), signal), "sent");
  const ends = await eventually("its end", () => Promise.resolve(reported().length === 2 && reported()));
  assertEquals(ends.map(({ status, fingerprint }: Record<string, string>) => [status, fingerprint]), [
    ["firing", first.fingerprint],
    ["resolved", first.fingerprint],
  ]);
  assertEquals(await alerts(), []);
});
