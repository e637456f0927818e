import { DataDir } from "../../apiserver/storage/data_dir.ts";
import { endLeftRuns } from "../../kubelet/files/left_runs.ts";
import { type Clock, SystemClock } from "../../base/clock.ts";
import type { StandaloneOptions } from "../standalone/standalone_options.ts";
import { isFolder } from "./files.ts";
import type { LeftContainers } from "./supervisor.ts";

/** Returns which containers a service with these options can leave in a data dir. */
export function leftBy(
  { containerRuntime, containerRuntimeArgs: engineArgs }: StandaloneOptions,
  dataDir: string,
): LeftContainers {
  // The engine that worked is not known: arguments are of any.
  const allowed = containerRuntime.filter((choice) => choice !== "auto");
  return { dataDir, engineArgs, allowed: allowed.length < containerRuntime.length ? ["process"] : allowed };
}

/** How long containers may take to end, and the program before them. */
const GRACE_MS = 10_000;
const PROGRAM_ENDS_MS = 30_000;

/** Ends the containers that a service has left running. It has the caller's rights: call it as the service's user. */
export async function endContainers({ dataDir, ...engines }: LeftContainers): Promise<void> {
  if (!await isFolder(dataDir)) return;
  const clock = new SystemClock();
  using _lock = await lockOf(dataDir, clock);
  for (const { pod, container } of await endLeftRuns(dataDir, { clock, graceMs: GRACE_MS, ...engines })) {
    console.log(`Ended container ${container} of pod ${pod}`);
  }
}

/** Returns the command line that calls {@linkcode endContainers} in a process of its own. */
export function endingCommand({ dataDir, engineArgs, allowed }: LeftContainers): string[] {
  return ["service", "end-containers", "--data-dir", dataDir, "--allowed", allowed.join(","), "--", ...engineArgs];
}

/** Waits for the lock, as the program may still be ending. */
async function lockOf(dataDir: string, clock: Clock): Promise<DataDir> {
  const deadline = clock.monotonic() + PROGRAM_ENDS_MS;
  for (;;) {
    try {
      return new DataDir(dataDir);
    } catch (error) {
      if (clock.monotonic() > deadline) throw error;
      await clock.sleep(200);
    }
  }
}
