import { assertEquals, assertMatch } from "@std/assert";
import { PASSED_OVER, PAUSE, SCHEDULE } from "../../src/cronjob/api/annotations.ts";
import type { Flavour } from "../../src/cronjob/api/flavour.ts";
import { explain } from "../../src/view/explain/explain.ts";
import { lookAt } from "../../src/view/look.ts";
import { nextRunOf } from "../../src/view/next_run.ts";
import { runHistory } from "../../src/view/run_history.ts";
import { at, BATCH, clockOf, type Given, TUTORIAL, world } from "../cronjob/support/world.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { event } from "./support/facts.ts";

const NOTE = { by: "ana", since: "2026-03-10T08:30:00Z", until: "2026-03-10T09:30:00Z" };
const PAUSED = { annotations: { [PAUSE]: JSON.stringify(NOTE) } };

test("a time in a pause that has ended is said to have been paused", () => {
  const { cronJob, jobs, now } = world(TUTORIAL, { ...PAUSED, last: "10:00", now: "10:10", jobs: [{ time: "10:00" }] });
  const pauseCheckAt = (time: string) => must(explain({ cronJob, jobs, now }, { at: at(time) }).checks[1]);
  assertEquals(pauseCheckAt("09:00"), { result: "FAIL", message: "paused then: by ana" });
  assertEquals(pauseCheckAt("10:00").result === "FAIL", false);
});

test("of a time in a pause of the spec that has ended is not said that it was not paused", () => {
  const { cronJob, jobs, now } = world(TUTORIAL, {
    last: "08:00",
    now: "10:10",
    spec: { startingDeadlineSeconds: 60, pause: { until: "2026-03-10T09:30:00Z" } },
    written: [{ at: "08:30", fields: ["pause"] }],
  });
  const { verdict, checks } = explain({ cronJob, jobs, now }, { at: at("09:00") });
  assertMatch(verdict.message, /it may have been suspended or paused, until Tue 2026-03-10 09:30 UTC$/);
  assertEquals(checks[1], { result: "?", message: "not suspended, not paused now" });
});

test("what starts at the end of a pause is known, unless an edit of the schedule may have dropped it", () => {
  const next = (more: Partial<Given>) => {
    const { cronJob, jobs, now } = world(BATCH, { ...PAUSED, last: "08:00", now: "09:10", ...more });
    return nextRunOf(lookAt({ cronJob, jobs, now }));
  };
  assertEquals(next({}), {
    kind: "known",
    scheduledTime: at("09:00"),
    startsAt: at("09:30"),
    expected: "Start",
  });
  const edited = { generation: 2, written: [{ at: "09:05", fields: ["schedule"] }] };
  assertEquals(next(edited)?.kind, "unknown");
  const before = { generation: 2, written: [{ at: "08:40", fields: ["schedule"] }], now: "08:50" };
  assertEquals(next(before)?.kind, "known", "the edit has been seen by the time that is to start");
});

test("the oldest of the runs that came due in a pause is behind no other", () => {
  const next = (until: string) => {
    const { cronJob, jobs, now } = world(TUTORIAL, {
      annotations: { [PAUSE]: JSON.stringify({ ...NOTE, until }) },
      spec: { concurrencyPolicy: "Forbid", catchUp: { policy: "All" } },
      last: "08:00",
      now: "09:10",
    });
    return nextRunOf(lookAt({ cronJob, jobs, now }));
  };
  for (const until of ["2026-03-10T09:30:00Z", "2026-03-10T10:30:00Z"]) {
    const startsAt = Date.parse(until);
    assertEquals(next(until), { kind: "known", scheduledTime: at("09:00"), startsAt, expected: "Start" });
  }
});

test("one of several that wait in line waits for an older one that is active, also after a pause", () => {
  const { cronJob, jobs, now } = world(TUTORIAL, {
    ...PAUSED,
    spec: { catchUp: { policy: "All" } },
    created: "05:30",
    last: "06:00",
    now: "09:10",
    jobs: [{ time: "06:00" }],
    status: { waiting: [{ after: "2026-03-10T06:00:00Z", before: "2026-03-10T08:00:01Z" }] },
  });
  const next = nextRunOf(lookAt({ cronJob, jobs, now }));
  assertEquals(next, { kind: "known", scheduledTime: at("07:00"), startsAt: at("09:30"), expected: "Wait" });
});

test("after an edit the next run of an interval is known where the status says what it counts from", () => {
  const nextIn = (flavour: Flavour) => {
    const { cronJob, jobs, now } = world(flavour, {
      schedule: "@every 45m",
      last: "09:00",
      now: "09:50",
      generation: 2,
      written: [{ at: "09:40", fields: ["schedule"] }],
    });
    return nextRunOf(lookAt({ cronJob, jobs, now }))?.kind;
  };
  assertEquals([BATCH, TUTORIAL].map(nextIn), ["unknown", "known"]);
});

test("history lists what was passed over as missed, and neither what a pause held back nor what came before an edit", () => {
  const status = { passedOver: [{ after: "2026-03-10T06:00:00Z", before: "2026-03-10T12:00:00Z" }] };
  const missed = (more: Partial<Given>) => {
    const { cronJob, jobs, now } = world(TUTORIAL, { last: "12:00", now: "12:10", status, ...more });
    const runs = runHistory(lookAt({ cronJob, jobs, now }));
    return runs.map(({ scheduledTime, outcome, reason }) => `${clockOf(scheduledTime!)} ${outcome} ${reason}`);
  };
  const all = ["11:00", "10:00", "09:00", "08:00", "07:00"].map((time) => `${time} Missed PassedOver`);
  const early = { created: "05:00" };
  assertEquals(missed(early), all);
  assertEquals(missed({ ...early, ...PAUSED }), all.filter((text) => !text.startsWith("09:00")));
  const conditions = [{ type: "Ready", status: "True" as const, reason: "Scheduled", message: "" }];
  const followed = conditions.map((one) => ({ ...one, lastTransitionTime: "2026-03-10T09:30:00Z" }));
  assertEquals(missed({ ...early, status: { ...status, conditions: followed } }), all.slice(0, 2));
});

test("history lists no missed time of an annotated schedule from before the annotation was written", () => {
  const { cronJob, jobs, now } = world(BATCH, {
    created: "05:00",
    last: "12:00",
    now: "12:10",
    schedule: "30 1 * * *",
    annotations: { [SCHEDULE]: "0 * * * *", [PASSED_OVER]: "2026-03-10T06:00:00Z/2026-03-10T12:00:00Z" },
    written: [{ at: "05:00", fields: ["schedule"] }, { at: "09:30", fields: [SCHEDULE] }],
  });
  const missed = runHistory(lookAt({ cronJob, jobs, now })).map(({ scheduledTime }) => clockOf(scheduledTime!));
  assertEquals(missed, ["11:00", "10:00"]);
});

test("history lists no time before the CronJob was there for a run by hand that was refused", () => {
  const skipped = (created: string) => {
    const { cronJob, jobs, now } = world(TUTORIAL, { created, last: "10:00", now: "10:10" });
    const events = [event("JobAlreadyActive", "Not starting job because prior execution is running", "09:30")];
    return runHistory(lookAt({ cronJob, jobs, now, events })).map(({ outcome }) => outcome);
  };
  assertEquals(skipped("09:20"), []);
  assertEquals(skipped("08:50"), ["Skipped"]);
});

test("of the times in a pause, that which starts at its end is said to wait for it, or to run late", () => {
  const verdictAt = (time: string, now: string, more: Partial<Given> = {}) => {
    const { cronJob, jobs, now: instant } = world(TUTORIAL, {
      ...PAUSED,
      schedule: "*/20 * * * *",
      last: "08:20",
      now,
      ...more,
    });
    const { kind, message } = explain({ cronJob, jobs, now: instant }, { at: at(time) }).verdict;
    return `${kind}: ${message}`;
  };
  assertEquals(verdictAt("09:20", "09:10"), "WillRun: will run late for Tue 2026-03-10 09:20 UTC, in 20m");
  for (const now of ["09:20", "09:25"]) {
    assertEquals(
      verdictAt("09:20", now),
      "Waiting: did NOT run at Tue 2026-03-10 09:20 UTC: it waits for the end of the pause",
    );
  }
  assertEquals(verdictAt("09:00", "09:10").split(":")[0], "NotFollowed");
  assertEquals(verdictAt("09:20", "08:50").split(":")[0], "WillRun");
  assertEquals(verdictAt("09:00", "08:50"), "WillNotRun: will NOT run at Tue 2026-03-10 09:00 UTC");
  // The time at which the pause ends comes first, and those before it follow.
  const all: Partial<Given> = { schedule: "*/10 * * * *", spec: { catchUp: { policy: "All" } } };
  assertEquals(
    verdictAt("09:00", "09:05", all),
    "Waiting: did NOT run at Tue 2026-03-10 09:00 UTC: it waits for the end of the pause",
  );
  assertEquals(
    verdictAt("09:10", "09:05", all),
    "WillRun: will run late for Tue 2026-03-10 09:10 UTC, in its turn",
  );
});

test("of a time before the schedule was last written is said that an earlier one may have named it", () => {
  const whyAt = (time: string, more: Partial<Given>) => {
    const { cronJob, jobs, now } = world(BATCH, { created: "05:00", last: "10:00", now: "10:10", ...more });
    const { kind, message, why } = explain({ cronJob, jobs, now }, { at: at(time) }).verdict;
    return `${kind}: ${message} (${why})`;
  };
  const written = [{ at: "09:30", fields: ["schedule"] }];
  const note = /an earlier schedule may have named it: it was last edited Tue 2026-03-10 09:30 UTC/;
  assertMatch(whyAt("09:10", { written }), note);
  assertEquals(note.test(whyAt("09:40", { written })), false);
  assertEquals(note.test(whyAt("04:10", { written })), false);
  assertMatch(
    whyAt("09:10", { written, schedule: "nonsense" }),
    /^Unknown: may have run .* another schedule may have been followed/,
  );
});
