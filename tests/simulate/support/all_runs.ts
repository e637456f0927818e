import { type DoneRuns, type Run, visitRuns } from "../../../src/simulate/runs.ts";

export function allRuns(done: DoneRuns): Run[] {
  const runs: Run[] = [];
  visitRuns(done, (run) => runs.push(run));
  return runs;
}
