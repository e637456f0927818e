import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import * as events from "../../src/cronjob/status/events.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { at, decide, type Given, world } from "./support/world.ts";

function said({ type, reason, message }: events.PlannedEvent): string {
  return `${type} ${reason}: ${message}`;
}

function decided(given: Partial<Given>): string[] {
  return decide(world(BATCH, { now: "10:00:30", ...given })).events.map(said);
}

test("Events have the types, reasons and messages of kube-controller-manager", () => {
  const [child] = atLeast(1, world(BATCH, { now: "10:00", jobs: [{ time: "09:00", state: "failed" }] }).jobs);
  const name = child.metadata.name;
  const request = { trigger: "Schedule", scheduledTime: at("10:00") } as const;
  assertEquals(said(events.created("report-1", request)), "Normal SuccessfulCreate: Created job report-1");
  assertEquals(said(events.deleted(child)), `Normal SuccessfulDelete: Deleted job ${name}`);
  assertEquals(said(events.completed(child)), `Normal SawCompletedJob: Saw completed job: ${name}, condition: Failed`);
  assertEquals(
    said(events.unexpected(child)),
    `Warning UnexpectedJob: Saw a job that the controller did not create or forgot: ${name}`,
  );
  assertEquals(said(events.missing("report-1", "u")), "Normal MissingJob: Active job went missing: report-1");
  assertEquals(said(events.createFailed("report-1", undefined, "no")), "Warning FailedCreate: Error creating job: no");
  assertEquals(said(events.deleteFailed(child, "no")), "Warning FailedDelete: Deleted job: no");
  assertEquals(said(events.getFailed("no")), "Warning FailedGet: Get job: no");
  assertEquals(
    said(events.missedSchedule(at("09:00"))),
    "Warning MissSchedule: Missed scheduled time to start a job: Tue, 10 Mar 2026 09:00:00 +0000",
  );
});

test("Decisions are reported in the words of kube-controller-manager", () => {
  assertEquals(decided({ last: "09:00", jobs: [{ time: "09:00" }], spec: { concurrencyPolicy: "Forbid" } }), [
    "Normal JobAlreadyActive: Waits for report-29552220: starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)",
  ]);
  assertEquals(decided({ created: "03-01 00:30", last: "03-02 00:00" }), [
    "Warning TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
  ]);
  assertEquals(decided({ spec: { timeZone: "Mars/Olympus" } }), [
    'Warning UnknownTimeZone: spec.timeZone: time-zone "Mars/Olympus": must be a name of the tz database such as Europe/Berlin',
  ]);
  assertEquals(decided({ schedule: "0 0 31 2 *" }), [
    'Warning InvalidSchedule: spec.schedule: "0 0 31 2 *" never comes: no year has 31 February',
  ]);
  assertEquals(decided({ schedule: "TZ=UTC 0 0 * * *" }), [
    'Warning UnsupportedSchedule: CRON_TZ or TZ used in schedule "TZ=UTC 0 0 * * *" is not officially supported, see ' +
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
  ]);
  assertEquals(
    must(decided({ schedule: "nope" })[0]).split(";")[0],
    'Warning UnparseableSchedule: spec.schedule: schedule "nope": has 1 field',
  );
});
