import { assertEquals, assertThrows } from "@std/assert";
import { AlertmanagerForm } from "../../src/notifications/alertmanager.ts";
import type { OutgoingRequest } from "../../src/notifications/request.ts";
import type { FailingCronJob } from "../../src/notifications/webhook_form.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { notification } from "./support/notification.ts";

const SERVER = new URL("http://alertmanager:9093/prefix/");
const NOW = Date.parse("2026-03-10T12:00:10Z");
const LABELS = {
  alertname: "CronJobRunFailed",
  severity: "warning",
  api_version: "batch/v1",
  namespace: "shop",
  cronjob: "report",
};
const { cronJob, run } = notification();

function alertsIn({ body }: OutgoingRequest) {
  return JSON.parse(body ?? "");
}

function failing(more: Partial<FailingCronJob["record"]> = {}): FailingCronJob {
  return { cronJob, record: { inARow: 1, toldAt: NOW, failures: [{ uid: "j", endTime: run.endTime }], ...more } };
}

test("a failure fires for five minutes, a recovery ends the alert of the same labels when the run ended", () => {
  const form = new AlertmanagerForm(SERVER, "");
  const failed = form.requestOf(notification(), NOW);
  assertEquals(failed.url.href, "http://alertmanager:9093/prefix/api/v2/alerts");
  assertEquals(alertsIn(failed), [{
    labels: LABELS,
    annotations: { summary: "shop/report: exit 3", description: "exit 3" },
    startsAt: "2026-03-10T12:00:00Z",
    endsAt: "2026-03-10T12:05:10Z",
    generatorURL: "https://kubernetes.default.svc/apis/batch/v1/namespaces/shop/cronjobs/report",
  }]);
  const [ended] = alertsIn(form.requestOf(notification({ kind: "recovered" }), NOW));
  assertEquals([ended.labels, ended.endsAt], [LABELS, "2026-03-10T12:00:00Z"]);
});

test("what Alertmanager asks for goes along: a user and a password, or a token", () => {
  const authorization = (secret: string) =>
    new AlertmanagerForm(SERVER, secret).requestOf(notification(), NOW).headers?.authorization;
  assertEquals(["", "u:p\n", "t0ken\n"].map(authorization), [undefined, `Basic ${btoa("u:p")}`, "Bearer t0ken"]);
  assertEquals(authorization("u:пароль"), "Basic dTrQv9Cw0YDQvtC70Yw=");
});

test("a token that no header can hold is refused at the start, without a word of it", () => {
  for (const secret of ["hunter2\nhunter3", "hunter 2", "ключ-hunter"]) {
    const { message } = assertThrows(() => new AlertmanagerForm(SERVER, secret), Error);
    assertEquals(message, "a bearer token is one line without spaces, in ASCII");
  }
});

test("a failure is repeated as it was said, and by its record where another leader said it", () => {
  const form = new AlertmanagerForm(SERVER, "");
  const [before] = alertsIn(form.requestOf(notification(), NOW));
  const again = (record: FailingCronJob["record"]) =>
    form.remindersOf([{ cronJob, record }], NOW + 60_000).map(alertsIn);
  assertEquals(again(failing().record), [[{ ...before, endsAt: "2026-03-10T12:06:10Z" }]]);
  const later = [30, 20, 10].map((minutes) => ({ uid: `${minutes}`, endTime: run.endTime + minutes * 60_000 }));
  const [[byRecord]] = atLeast(1, again({ inARow: 2, toldAt: NOW, failures: later }));
  assertEquals([byRecord.labels, byRecord.annotations.summary], [LABELS, "shop/report: 2 failed runs in a row"]);
  assertEquals(byRecord.startsAt, "2026-03-10T12:20:00Z");
});

test("a recovery that is not recorded yet is not taken back, and a failure after it is repeated", () => {
  const form = new AlertmanagerForm(SERVER, "");
  form.requestOf(notification(), NOW);
  const recovery = { ...run, endTime: run.endTime + 60_000 };
  form.requestOf(notification({ kind: "recovered", run: recovery }), NOW);
  assertEquals(form.remindersOf([failing()], NOW), []);
  assertEquals(form.remindersOf([], NOW), []);
  const next = failing({ failures: [{ uid: "k", endTime: recovery.endTime + 60_000 }] });
  assertEquals(form.remindersOf([next], NOW).flatMap(alertsIn).length, 1);
});

test("many reminders are sent a hundred at a time", () => {
  const all = Array.from({ length: 250 }, (_, i) => ({ ...failing(), cronJob: { ...cronJob, uid: `${i}` } }));
  const requests = new AlertmanagerForm(SERVER, "").remindersOf(all, NOW);
  assertEquals(requests.map((request) => alertsIn(request).length), [100, 100, 50]);
});
