import { messageOf } from "../../telemetry/message_of.ts";
import { readProc } from "./identity.ts";

/** Processes may have started others between two looks. */
const LOOKS = 10;

/** What came of a search. */
export interface MarkedEnd {
  readonly wasFound: boolean;
  /** What was in the way of killing them; of those that were not found, that they cannot be seen. */
  readonly problem?: string;
}

/**
 * Kills all processes of this machine that have a variable with this value, or were started by one that has, wherever they
 * run. The value must be one that is used once.
 */
export function killMarked(variable: string): MarkedEnd {
  let problem: string | undefined;
  for (let look = 0; look < LOOKS; look++) {
    const { found, isBlind } = lookFor(variable);
    if (found.length === 0) {
      const wasFound = look > 0;
      return {
        wasFound,
        problem: !wasFound && isBlind ? "its processes, if any are left, cannot be seen from here" : undefined,
      };
    }
    for (const pid of found) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch (error) {
        problem = messageOf(error);
      }
    }
  }
  return { wasFound: true, problem: problem ?? "they do not end" };
}

/** Returns the processes with a variable, and whether there may be some that this program cannot see. */
function lookFor(variable: string): { readonly found: readonly number[]; readonly isBlind: boolean } {
  const found: number[] = [];
  const all = pids();
  let isBlind = all.length === 0;
  for (const pid of all) {
    try {
      if (readProc(`${pid}/environ`).split("\0").includes(variable)) found.push(pid);
    } catch (error) {
      // Another user's; all others have ended. The first of the machine is of no container.
      isBlind ||= pid !== 1 && error instanceof Deno.errors.PermissionDenied;
    }
  }
  return { found, isBlind };
}

function pids(): number[] {
  try {
    return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => pid > 0);
  } catch {
    // A system without /proc.
    return [];
  }
}
