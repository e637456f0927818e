import { assertEquals } from "@std/assert";
import { incidentOf } from "../../../src/dashboard/page/model/incident.ts";
import { test } from "../../support/test.ts";
import { NOW, row } from "../browser/support/sample_fleet.ts";

test("an incident is Markdown: how it stands, why, the last runs and what the run wrote", () => {
  const failing = row({
    namespace: "team-b",
    name: "sync",
    state: "Failing",
    zone: "UTC",
    schedule: "*/30 * * * *",
    since: NOW - 88 * 60_000,
    cause: { reason: "Error", message: "exit 1: <b>a|b</b>\n# `no`" },
    failuresInARow: { count: 4, atLeast: true },
    lastSuccess: NOW - 118 * 60_000,
    lastRuns: [{ at: NOW - 28 * 60_000, outcome: "Failed", ms: 12_000, reason: "exit 1" }],
  });
  const explained = {
    verdict: { kind: "Failed" as const, message: "ran, and failed", why: "exit 1" },
    lastLines: ["one", "```", "two"],
  };
  assertEquals(
    incidentOf(failing, explained, { now: NOW, link: "http://localhost:6445/#/x" }),
    [
      "**[team-b/sync](http://localhost:6445/#/x)** is Failing at least since Fri 2026-11-20 00:30 UTC (1h 28m ago)",
      "",
      "- Cause: exit 1: \\<b\\>a\\|b\\</b\\> \\# \\`no\\`",
      "- Failures in a row: at least 4",
      "- Last success: Fri 2026-11-20 00:00 UTC (1h 58m ago)",
      "- Next run: Fri 2026-11-20 02:00 UTC",
      "- Schedule: `*/30 * * * *` UTC",
      "- Why: it ran, and failed: exit 1",
      "",
      "| Run | Outcome | Took | Reason |",
      "| --- | --- | --- | --- |",
      "| Fri 2026-11-20 01:30 UTC | failed | 12s | exit 1 |",
      "",
      "````",
      "one",
      "```",
      "two",
      "````",
      "",
    ].join("\n"),
  );
});

test("what is not known of a CronJob is left out of its incident", () => {
  const missed = row({ name: "a", state: "Missed", nextRun: undefined });
  const explained = { verdict: { kind: "Missed" as const, message: "was missed", why: undefined }, lastLines: [] };
  assertEquals(
    incidentOf(missed, explained, { now: NOW, link: "x" }),
    "**[default/a](x)** is Missed\n\n- Last success: not known\n- Schedule: `0 * * * *` Europe/Berlin\n- Why: it was missed\n",
  );
});
