import { ifPossible, namesIn } from "../files/disk.ts";
import { readProc } from "./identity.ts";

/** Processes may have started others between two looks. */
const LOOKS = 10;

/**
 * Kills all processes of this machine that have a variable with this value, or were started by one that has, wherever they
 * run, as far as this program may see and kill them. The value must be one that is used once.
 */
export function killMarked(variable: string): void {
  for (let look = 0; look < LOOKS; look++) {
    // None on a system without `/proc`.
    const found = namesIn("/proc").map(Number).filter((pid) =>
      pid > 0 && ifPossible(() => readProc(`${pid}/environ`).split("\0").includes(variable))
    );
    if (found.length === 0) return;
    // One may have ended, or be another user's.
    for (const pid of found) ifPossible(() => Deno.kill(pid, "SIGKILL"));
  }
}
