import { ifPossible } from "../files/disk.ts";

/** Processes may have started others between two looks. */
const LOOKS = 10;

/** Prints names of files; none on a system without `/proc`. The compiled program may not read them itself. */
const FIND = 'grep -lsF -e "$1" /proc/[0-9]*/environ';

/**
 * Kills all processes of this machine that have a variable with this value, or were started by one that has, wherever they
 * run, as far as this program may see and kill them. The value must be one that is used once.
 */
export function killMarked(variable: string): void {
  for (let look = 0; look < LOOKS; look++) {
    const command = new Deno.Command("/bin/sh", { args: ["-c", FIND, "sh", variable], stderr: "null" });
    const found = new TextDecoder().decode(command.outputSync().stdout).match(/\d+/g);
    if (!found) return;
    // One may have ended, or be another user's.
    for (const pid of found) ifPossible(() => Deno.kill(Number(pid), "SIGKILL"));
  }
}
