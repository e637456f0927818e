import { assertEquals } from "@std/assert";
import type { RunView } from "../../src/view/cron_job_view.ts";
import { lastLogs, withKept } from "../../src/view/kept_runs.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

const run = (about: Partial<RunView>): RunView => ({
  scheduledTime: undefined,
  trigger: "Schedule",
  outcome: "Succeeded",
  reason: undefined,
  job: undefined,
  startedAt: undefined,
  endedAt: undefined,
  ...about,
});

const CASES: Record<string, { known: Partial<RunView>[]; kept: Partial<RunView>[]; all: string[] }> = {
  "what is known is newer than what is kept": {
    known: [{ scheduledTime: 1, outcome: "Failed", job: "a" }],
    kept: [{ scheduledTime: 1, outcome: "Running", job: "a" }],
    all: ["1 Failed"],
  },
  "what is kept knows better how a run ended whose Job is gone": {
    known: [{ scheduledTime: 1, outcome: "Unknown", job: "a" }, { scheduledTime: 2, outcome: "Unknown", job: "b" }],
    kept: [{ scheduledTime: 1, outcome: "Succeeded", job: "a" }],
    all: ["2 Unknown", "1 Succeeded"],
  },
  "what is known says why a run ended of which nothing else is kept": {
    known: [{ scheduledTime: 1, outcome: "Unknown", reason: "Replaced", job: "a" }],
    kept: [{ scheduledTime: 1, outcome: "Unknown", job: "a" }],
    all: ["1 Unknown Replaced"],
  },
  "what was held back at first and started after all is one run": {
    known: [],
    kept: [{ scheduledTime: 1, outcome: "Skipped" }, { scheduledTime: 1, outcome: "Succeeded", job: "a" }],
    all: ["1 Succeeded"],
  },
  "of two Jobs of one scheduled time the newer is the run": {
    known: [],
    kept: [{ scheduledTime: 1, outcome: "Succeeded", job: "a" }, { scheduledTime: 1, outcome: "Unknown", job: "a" }],
    all: ["1 Succeeded"],
  },
  "of runs that began in the same second those with a scheduled time come first": {
    known: [{ trigger: "Backfill", scheduledTime: 1, job: "b", startedAt: 5 }],
    kept: [{ trigger: "Manual", outcome: "Failed", job: "m", startedAt: 5 }],
    all: ["5 Succeeded", "5 Failed"],
  },
  "runs by hand and of back-fills are distinguished by their Jobs": {
    known: [{ trigger: "Manual", job: "m", startedAt: 5 }],
    kept: [
      { trigger: "Manual", job: "n", startedAt: 4 },
      { trigger: "Backfill", scheduledTime: 1, job: "b", startedAt: 3 },
      { trigger: "Schedule", scheduledTime: 1, job: "s" },
    ],
    all: ["5 Succeeded", "4 Succeeded", "3 Succeeded", "1 Succeeded"],
  },
};

const CRON_JOB = { apiVersion: "batch/v1", namespace: "default", name: "report" };

table("withKept()", Object.entries(CASES), ({ known, kept, all }) => {
  const remembered = kept.map((about) => ({ ...CRON_JOB, run: run(about), logs: [] }));
  const found = withKept(known.map(run), remembered);
  assertEquals(
    found.map(({ trigger, scheduledTime, startedAt, outcome, reason }) =>
      `${trigger === "Schedule" ? scheduledTime : startedAt} ${outcome}${reason ? ` ${reason}` : ""}`
    ),
    all,
  );
});

test("lastLogs() names of each container the newest start, or the one before", () => {
  const logs = [["main", 2], ["main", 0], ["sidecar", 0], ["main", 1]] as const;
  const kept = [{
    ...CRON_JOB,
    run: run({ job: "a" }),
    logs: logs.map(([container, restartCount]) => ({ file: "", pod: "p", container, restartCount })),
  }];
  const starts = (previous: boolean) =>
    lastLogs(kept, { job: "a", previous }).map(({ container, restartCount }) => `${container} ${restartCount}`);
  assertEquals([starts(false), starts(true)], [["main 2", "sidecar 0"], ["main 1"]]);
});
