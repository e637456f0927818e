import { testRuns } from "./support/runs_property.ts";

testRuns({ scans: 5, distances: 300, gaps: 25, sums: 30, intervals: 300 });
