import { kill } from "node:process";
import type { Clock } from "../../base/clock.ts";
import { ifPossible } from "../files/disk.ts";
import { lookOften } from "../files/pulse.ts";

/**
 * The process behind a pid. Pids are used again, so a process is known by its pid together with the moment it started
 * and the boot it started under: those three never come twice.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot on Linux, a date elsewhere: compare for equality only. */
  readonly startId: string;
}

const LINUX = Deno.build.os === "linux";

/** Returns what distinguishes one boot of this machine from another; empty where the system has no such thing. */
export function bootId(): string {
  return LINUX ? ifPossible(() => readProc("sys/kernel/random/boot_id").trim()) ?? "" : "";
}

/** Returns the identity of the process that has this pid now; undefined if it has ended. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const found = seen(pid);
  return found && !found.ended ? { pid, startId: found.startId } : undefined;
}

/** Returns whether this very process still works. One that has ended and waits to be reaped does not. */
export function isAlive({ pid, startId }: ProcessIdentity): boolean {
  return identityOf(pid)?.startId === startId;
}

/** Every so many looks the whole identity is compared; the others only see whether there is a process of its pid. */
const LOOKS = 25;

/**
 * Calls `onEnd` once a process has ended, until the result is disposed of. The end of a process that is not reaped, or whose pid
 * another gets at once, is seen some seconds later: the compiled program reads `/proc` by a process, which is not done each time.
 */
export function lookForEnd(clock: Clock, process: ProcessIdentity, onEnd: () => void): Disposable {
  let looks = 0;
  return lookOften(clock, () => {
    const isThere = ++looks % LOOKS > 0 && isTaken(process.pid);
    if (!isThere && !isAlive(process)) onEnd();
  });
}

/** Returns whether there is a process of this pid, also one of another user, or one that waits to be reaped. */
function isTaken(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * Reads what the shim wrote down about itself: its pid, then a line of `/proc/<pid>/stat` (Linux) or the output of
 * `ps -o lstart=`. Gives undefined for a text that is not whole yet.
 */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, pid, written] = /^(\d+) ([^\n]+)\n/.exec(text) ?? [];
  if (!written) return undefined;
  const startId = LINUX ? parseStat(written)?.startId : normalised(written);
  return startId ? { pid: Number(pid), startId } : undefined;
}

/** Signals a process group; without effect on a group that has ended. */
export function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    Deno.kill(-pid, signal);
  } catch (error) {
    // ESRCH, as Deno words it: the group has ended.
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) throw error;
  }
}

type Seen = { readonly startId: string; readonly ended: boolean };

function seen(pid: number): Seen | undefined {
  return LINUX ? ifPossible(() => parseStat(readProc(`${pid}/stat`))) : fromPs(pid);
}

/** Returns the text of a file under `/proc`, which Deno itself reads only for programs with all permissions. */
export function readProc(path: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${path}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const cat = new Deno.Command("/bin/cat", { args: [`/proc/${path}`], stderr: "null" });
    return new TextDecoder().decode(cat.outputSync().stdout);
  }
}

/** The command's name is in parentheses and may hold anything, so fields are counted from the last of them. */
function parseStat(line: string): Seen | undefined {
  const fields = line.slice(line.lastIndexOf(")") + 2).trim().split(" ");
  const [state] = fields;
  const startId = fields[19];
  return startId === undefined ? undefined : { startId, ended: state === "Z" || state === "X" };
}

function fromPs(pid: number): Seen | undefined {
  const { success, stdout } = new Deno.Command("/bin/ps", {
    args: ["-o", "state=,lstart=", "-p", String(pid)],
    env: { LC_ALL: "C" },
    stderr: "null",
  }).outputSync();
  const [, state, started] = /^\s*(\S+)\s+(.+)$/m.exec(new TextDecoder().decode(stdout)) ?? [];
  return success && state && started ? { startId: normalised(started), ended: state.startsWith("Z") } : undefined;
}

function normalised(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
