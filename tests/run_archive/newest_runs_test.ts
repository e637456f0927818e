import { assertEquals } from "@std/assert";
import { KEPT_FAILURE, keptHistory } from "../cli/support/kept_history.ts";
import { askedIn } from "../../src/view/kept_runs.ts";
import { table } from "../support/table.ts";

const RUNS = [
  { ...KEPT_FAILURE, cronJob: "a", at: "08:00", job: "failed" },
  { cronJob: "a", at: "07:00", outcome: "Succeeded", job: "succeeded" },
  { namespace: "team", cronJob: "b", at: "06:00", outcome: "Waiting" },
  { namespace: "team", cronJob: "b", at: "06:00", outcome: "Succeeded", job: "after-it-waited" },
  { namespace: "team", cronJob: "b", at: "05:00", outcome: "Waiting" },
  { namespace: "team", cronJob: "b", at: "04:00", outcome: "Skipped" },
] as const;

const SINCE_SIX = `since=${Date.parse("2026-03-10T06:00:00Z")}`;

table<[query: string, expected: readonly string[]]>(
  "newest runs are those that",
  [
    ["a query without anything asks for", "", [
      "a failed",
      "a succeeded",
      "b Waiting",
      "b after-it-waited",
      "b Waiting",
      "b Skipped",
    ]],
    ["failed, or were not started after all", "failed=true", ["a failed", "b Waiting", "b Skipped"]],
    ["are of a namespace", "namespace=default", ["a failed", "a succeeded"]],
    ["failed in a namespace", "namespace=team&failed=true&limit=1", ["b Waiting"]],
    ["were due since then, so many at most", `${SINCE_SIX}&limit=2`, ["a failed", "a succeeded"]],
    ["were due since then", `${SINCE_SIX}&failed=true`, ["a failed"]],
    ["no nonsense keeps from being found", "since=x&limit=-1&failed=no&namespace=default", [
      "a failed",
      "a succeeded",
    ]],
  ],
  (query, expected) => {
    using history = keptHistory(RUNS);
    const found = history.archive.runs(askedIn(new URLSearchParams(query))).map(({ name, run }) =>
      `${name} ${run.job ?? run.outcome}`
    );
    assertEquals(found.toSorted(), [...expected].toSorted());
  },
);
