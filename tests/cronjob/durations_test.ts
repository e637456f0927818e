import { assertEquals } from "@std/assert";
import type { RunRecord } from "../../src/cronjob/api/types.ts";
import { durationsOfRuns } from "../../src/cronjob/status/durations.ts";
import { test } from "../support/test.ts";

function run(seconds: number, outcome: RunRecord["outcome"] = "Succeeded"): RunRecord {
  const end = new Date(Date.parse("2026-03-10T10:00:00Z") + seconds * 1_000).toISOString();
  return { trigger: "Schedule", outcome, startTime: "2026-03-10T10:00:00Z", endTime: end };
}

test("durationsOfRuns() returns what half and nearly all of the ended runs took at most", () => {
  const rows: [RunRecord[], number, number, number][] = [
    [[run(5)], 1, 5, 5],
    [[run(9), run(1)], 2, 1, 9],
    [[10, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((seconds) => run(seconds)), 10, 5, 10],
    [[run(7, "Failed"), run(100, "Deleted"), run(3)], 2, 3, 7],
  ];
  for (const [runs, count, p50Seconds, p95Seconds] of rows) {
    assertEquals(durationsOfRuns(runs), { runs: count, p50Seconds, p95Seconds });
  }
  assertEquals(
    durationsOfRuns([{ trigger: "Schedule", outcome: "Running", startTime: "2026-03-10T10:00:00Z" }]),
    undefined,
  );
});
