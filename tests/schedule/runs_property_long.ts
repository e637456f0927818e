import { shareOf } from "../support/share.ts";
import { testRuns } from "./support/runs_property.ts";

testRuns({
  scans: shareOf(500),
  distances: shareOf(50_000),
  gaps: shareOf(5_000),
  sums: shareOf(5_000),
  intervals: shareOf(100_000),
});
