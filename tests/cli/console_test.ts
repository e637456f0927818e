import { assertEquals } from "@std/assert";
import { formatCannotStart, formatRun, textConsole } from "../../src/cli/standalone/console.ts";
import type { ObjectKey } from "../../src/kube/object.ts";
import type { RunEvent } from "../../src/cronjob/reporter.ts";
import { parseTime } from "../../src/base/epoch_ms.ts";
import { test } from "../support/test.ts";

const scheduledTime = parseTime("2026-01-01T00:00:00Z");

const RUNS: Record<string, Omit<RunEvent, "cronJob" | "apiVersion" | "timeZone">> = {
  "started    default/c  c-1": { outcome: "started", jobName: "c-1", scheduledTime },
  "started    default/c  now (by hand)": { outcome: "started", jobName: "now", byHand: true },
  "replaced   default/c  c-1": { outcome: "replaced", jobName: "c-1", scheduledTime },
  "skipped    default/c  the run of Thu 2026-01-01 01:00 Europe/Berlin: JobAlreadyActive": {
    outcome: "skipped",
    scheduledTime,
    reason: "JobAlreadyActive",
  },
  "skipped    default/c  a run by hand: JobAlreadyActive": {
    outcome: "skipped",
    byHand: true,
    reason: "JobAlreadyActive",
  },
  "failed     default/c  c-1: exit 3: no such table": {
    outcome: "failed",
    jobName: "c-1",
    scheduledTime,
    reason: "BackoffLimitExceeded",
    message: "Job has reached the specified backoff limit: exit 3: no such table",
  },
};

for (const [line, run] of Object.entries(RUNS)) {
  test(`the console says: ${line}`, () => {
    const cronJob = "default/c" as RunEvent["cronJob"];
    assertEquals(formatRun({ ...run, cronJob, apiVersion: "batch/v1", timeZone: "Europe/Berlin" }), line);
  });
}

test("the console says why a container cannot start", () => {
  const pod = { namespace: "default", name: "c-1-x" };
  const trouble = { pod, reason: "Failed", message: 'Error: secret "token" not found' };
  assertEquals(formatCannotStart(trouble), 'stuck      default/c-1-x  Failed: Error: secret "token" not found');
});

test("the console says which CronJob was reported, and until when further failures wait", () => {
  const lines: string[] = [];
  const say = textConsole(() => "", (line) => void lines.push(line));
  const cronJob = "default/flaky" as ObjectKey;
  say.notified(cronJob);
  say.notifiesLater(cronJob, new Date(2026, 0, 1, 12, 10).getTime());
  assertEquals(lines, [
    "notified   default/flaky",
    "waits      default/flaky  further failures are reported at 2026-01-01 12:10:00: see --hook-interval",
  ]);
});
