import { testRuns } from "./support/runs_property.ts";

testRuns({ scans: 500, distances: 50_000, gaps: 5_000, sums: 5_000, intervals: 100_000 });
