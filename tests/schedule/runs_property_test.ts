import { testRuns } from "./support/runs_property.ts";

testRuns({ scans: 30, distances: 1_000, gaps: 150, sums: 200, intervals: 1_000 });
