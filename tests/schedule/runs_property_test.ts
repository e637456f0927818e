import { testRuns } from "./support/runs_property.ts";

testRuns({ scans: 10, distances: 300, gaps: 50, sums: 60, intervals: 300 });
