// A program for a test to kill: starts four containers' processes in the directory given and waits.
import { ProcessRunner } from "../../../src/kubelet/process/runner.ts";
import { RunFiles } from "../../../src/kubelet/files/run_files.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { atLeast } from "../../support/expected.ts";

const [directory] = atLeast(1, Deno.args);
const clock = new SystemClock();
const runner = new ProcessRunner(clock);
const go = `while [ ! -e ${directory}/go ]; do sleep 0.02; done`;
const scripts = ["sleep 0.1; exit 21", `${go}; exit 22`, "sleep 1000", "sleep 1000"];
for (const [index, script] of scripts.entries()) {
  const argv = ["/bin/sh", "-c", `echo started; ${script}`];
  runner.start(new RunFiles(directory, index), { argv, env: { PATH: "/usr/bin:/bin" }, workingDirectory: "/" }, 0);
}
// All have claimed their runs once their output is there.
while (scripts.some((_, index) => !exists(`${directory}/${index}.log`))) await clock.sleep(5);
console.log("ready");
await clock.sleep(60_000);

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).size > 0;
  } catch {
    return false;
  }
}
