import { assertEquals } from "@std/assert";
import { BATCH, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { explain } from "../../src/view/explain/explain.ts";
import { at, world } from "../cronjob/support/world.ts";
import { test } from "../support/test.ts";
import { event, keptRun } from "./support/facts.ts";
import { type Asked, DEADLINE, explainWorld, FORBID, questionAt, run } from "./support/explain_world.ts";

test("a run from before a suspension did not run against any rule", () => {
  const { checks } = explainWorld({
    last: "10:00",
    jobs: [{ time: "10:00", state: "succeeded" }],
    spec: { suspend: true },
  });
  assertEquals(checks[1], {
    result: "ok",
    message: "the schedule was followed then; now Suspended: spec.suspend is true",
  });
});

test("a suspension is said to have been written when its field was", () => {
  const written = [{ at: "10:05:09", fields: ["suspend"] }];
  assertEquals(explainWorld({ last: "09:00", at: "10:10", spec: { suspend: true }, written }).checks[1], {
    result: "FAIL",
    message: "Suspended: spec.suspend is true, written 2026-03-10T10:05:09Z",
  });
});

test("too many missed runs are what the check of the schedule's following fails by", () => {
  const { checks } = explainWorld({ schedule: "* * * * *", now: "12:30", last: "09:00", at: "10:00" });
  assertEquals(checks.filter(({ result }) => result === "FAIL"), [{
    result: "FAIL",
    message:
      "TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
  }]);
});

test("a run that was missed for a reason that only a newer controller knows has that reason", () => {
  const status = { recentRuns: [run("10:00", "Missed", "NodeAsleep")] };
  assertEquals(explainWorld({ last: "09:00", at: "10:00", status }).verdict.why, "NodeAsleep");
});

test("what was started is not said to have had no Job", () => {
  const last = (asked: Asked) => explainWorld(asked).checks.at(-1);
  const started: Asked = { now: "10:30", last: "10:00", api: BATCH, spec: DEADLINE };
  assertEquals(explainWorld(started).checks.slice(-2), [
    { result: "?", message: "startingDeadlineSeconds: 60; how late it was started is not known" },
    { result: "?", message: "its Job is gone" },
  ]);
  assertEquals(last({ now: "10:30", at: "10:00", api: BATCH }), {
    result: "-",
    message: "no Job was created for it",
  });
});

test("a run that was not started has what is left of its deadline", () => {
  const deadlineAt = (now: string, spec: Asked["spec"] = DEADLINE) =>
    explainWorld({ now, last: "09:00", at: "10:00", spec }).checks
      .filter(({ message }) => message.startsWith("startingDeadlineSeconds"));
  assertEquals(deadlineAt("10:00:20"), [
    { result: "ok", message: "startingDeadlineSeconds: 60, of which 40s is left" },
  ]);
  const spread = { ...DEADLINE, spreadSeconds: 30 };
  assertEquals(deadlineAt("10:00:20", spread), [
    { result: "ok", message: "startingDeadlineSeconds: 60, of which 40s is left" },
  ]);
  assertEquals(deadlineAt("09:59"), [{ result: "ok", message: "startingDeadlineSeconds: 60, of which 1m is left" }]);
  assertEquals(deadlineAt("10:01:01"), [{ result: "FAIL", message: "startingDeadlineSeconds: 60, which has passed" }]);
});

test("an expectation that a run does not meet stands beside its time alone", () => {
  const checksAt = (clock: string) =>
    explainWorld({
      now: "10:30",
      at: clock,
      created: "08:30",
      spec: { expect: { minimumDurationSeconds: 120 } },
      jobs: [{ time: "09:00", state: "succeeded" }, { time: "10:00", state: "succeeded" }],
    }).checks.filter(({ message }) => message.startsWith("expectation"));
  const message = "expectation: Suspicious: report-1773136800 succeeded after 60 s; minimumDurationSeconds is 120";
  assertEquals(checksAt("10:00"), [{ result: "FAIL", message }]);
  assertEquals(checksAt("09:00"), []);
});

test("a run that is remembered is explained like one whose Job is there, and the state is that of now", () => {
  const { cronJob, jobs, now } = world(BATCH, { created: "07:30", now: "10:30", last: "10:00" });
  const remembered = [
    keptRun("10:00", { outcome: "Failed", reason: "BackoffLimitExceeded", message: "exit 3" }),
    keptRun("09:00"),
    { ...keptRun("08:00"), apiVersion: `${TUTORIAL.resource.group}/v1` },
    keptRun("07:00"),
  ];
  const explained = (clock: string) =>
    explain({ cronJob, jobs, events: [], kept: remembered, now }, questionAt(clock, "UTC"));
  const failed = explained("10:00");
  assertEquals(failed.verdict, {
    kind: "Failed",
    message: "ran at Tue 2026-03-10 10:00 UTC: failed after 1m",
    why: "report-10:00: exit 3",
  });
  // Its log is not to be had by kubectl any more.
  assertEquals(failed.actions, [{ do: "RunNow" }]);
  assertEquals([failed.state, failed.lastSuccess, failed.sinceSuccess.failed], ["Waiting", at("09:01"), 1]);
  assertEquals(explained("09:00").verdict.message, "ran at Tue 2026-03-10 09:00 UTC: succeeded after 1m");
  assertEquals(explained("08:00").run, undefined, "that run was a namesake's");
  const former = explained("07:00");
  assertEquals([former.run?.job, former.checks.find(({ message }) => message.startsWith("created "))], [
    "report-07:00",
    {
      result: "?",
      message: "created Tue 2026-03-10 07:30 UTC: the run is of an earlier CronJob of its name",
    },
  ]);
});

test("a run that waits has failed no check of a deadline or a Job", () => {
  const { checks } = explainWorld({
    now: "12:30",
    last: "10:00",
    at: "11:00",
    spec: { ...FORBID, startingDeadlineSeconds: 60, catchUp: { policy: "All" } },
    jobs: [{ time: "10:00" }],
    status: {
      waiting: [{ after: "2026-03-10T10:00:00Z", before: "2026-03-10T12:00:01Z" }],
      recentRuns: [run("11:00", "Waiting", "JobAlreadyActive")],
    },
  });
  assertEquals(checks.slice(-2), [
    { result: "ok", message: "startingDeadlineSeconds: 60, which counts until a run waits in line" },
    { result: "-", message: "no Job was created for it" },
  ]);
});

test("a run that waited in line was not active before its Job was there", () => {
  const { checks } = explainWorld({
    now: "12:30",
    last: "11:00",
    at: "11:00",
    spec: { ...FORBID, catchUp: { policy: "All" } },
    jobs: [
      { time: "09:00", state: "succeeded", ended: "11:10" },
      { time: "10:00", created: "11:10", started: "11:10", state: "succeeded", ended: "12:10" },
      { time: "11:00", created: "12:10", started: "12:10" },
    ],
  });
  assertEquals(checks[3], { result: "FAIL", message: "concurrency: 1 active then, 1 allowed" });
});

test("a run that is due does not start while no controller leads, also where the Lease was not read", () => {
  const why = "no controller leads: Lease a/b was given back at 2026-03-10T10:00:05Z";
  const asked: Asked = {
    last: "09:00",
    jobs: [{ time: "09:00" }],
    runner: { by: "none", reason: "NoController", why },
  };
  assertEquals(explainWorld({ ...asked, at: "10:00" }).verdict.why, why);
  assertEquals(
    explainWorld({ ...asked, at: "10:00", spec: FORBID }).verdict.why,
    "it waits for the run of Tue 2026-03-10 09:00 UTC (report-1773133200): would start when it ends " +
      `(concurrencyPolicy Forbid), but ${why}`,
  );
  const spec = { ...FORBID, catchUp: { policy: "All" as const } };
  const { verdict } = explainWorld({ ...asked, now: "12:30", at: "11:00", spec });
  assertEquals(
    verdict.why,
    `one older run comes first (catchUp: All), now that of Tue 2026-03-10 10:00 UTC; but ${why}`,
  );
});

test("a second controller is what to look at, also where the newest run succeeded", () => {
  const succeeded: Asked = { last: "10:00", jobs: [{ time: "10:00", state: "succeeded" }] };
  const events = [event("MultipleControllers", "Another controller works on this CronJob", "10:00:01")];
  const { state, verdict, actions } = explainWorld({ ...succeeded, events });
  assertEquals([state, verdict.kind, actions], ["Contested", "Succeeded", [{ do: "LookAtController" }]]);
  for (const spec of [{}, { suspend: true }]) assertEquals(explainWorld({ ...succeeded, spec }).actions, []);
});
