import { readProc } from "./identity.ts";

/** Processes may have started others between two looks. */
const LOOKS = 10;

/**
 * Kills all processes of this machine that have a variable with this value, or were started by one that has, wherever they
 * run, as far as this program may see and kill them. The value must be one that is used once.
 */
export function killMarked(variable: string): void {
  for (let look = 0; look < LOOKS; look++) {
    const found = pids().filter((pid) => hasVariable(pid, variable));
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
  }
}

function hasVariable(pid: number, variable: string): boolean {
  try {
    return readProc(`${pid}/environ`).split("\0").includes(variable);
  } catch {
    // It has ended, or is another user's.
    return false;
  }
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has ended, or is another user's.
  }
}

function pids(): number[] {
  try {
    return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => pid > 0);
  } catch {
    // A system without /proc.
    return [];
  }
}
