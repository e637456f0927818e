import { isAlive, type ProcessIdentity, readProc } from "./identity.ts";

/** Reads the identity of a shell into `__cjc`, as {@linkcode parseIdentity} takes it behind the pid. */
const IDENTIFY = Deno.build.os === "linux"
  ? "read -r __cjc </proc/$$/stat"
  : "__cjc=$(LC_ALL=C /bin/ps -o lstart= -p $$)";

/**
 * The small shell program between us and a container's process. A process can wait for its own children only, so after a
 * crash of ours only a parent that lives on can write down how the process ended.
 *
 * Flow
 * 1. It claims the run: it creates `CLAIM`, which must not exist, and writes its own identity there. Who finds a claim
 *    already made starts nothing: a run that was abandoned meanwhile never starts late.
 * 2. It fills `EXIT` with blanks, so that there is room for the status also on a disk that the command fills up.
 * 3. It starts the command as its child, in its own process group, output appended to `LOG`.
 * 4. It writes the child's exit status to `EXIT` (128 + n for signal n), then kills what is left of the group, itself
 *    included, as the end of a container's first process ends the container.
 *
 * Guarantees: the command runs at most once for each `CLAIM`; `EXIT` begins with a number and a line break only when whole.
 *
 * Assumptions: started as leader of a new process group, in the working directory, with the container's environment.
 * The command is a path with a slash in it (a bare name could mean a built-in of the shell).
 *
 * Caveats: SIGKILL for the whole group leaves no `EXIT`. A process that leaves the group (`setsid`) escapes.
 */
const SHIM = `trap : TERM INT HUP QUIT USR1 USR2
set -C
${IDENTIFY}
echo "$$ $__cjc" >"$1" || exit 0
set +C
unset __cjc PWD OLDPWD SHLVL
exec >>"$2" 2>/dev/null || exit 0
echo '          ' >"$3" || exit 0
__cjc=$3
shift 3
(exec "$@" 2>&1)
echo $? 1<>"$__cjc"
kill -KILL 0`;

/** Returns the program and its arguments that run `argv` under the shim. */
export function shimCommand(
  { claim, log, exit }: { readonly claim: string; readonly log: string; readonly exit: string },
  argv: readonly string[],
): { program: string; args: string[] } {
  return { program: "/bin/sh", args: ["-c", SHIM, "cronjob-controller", claim, log, exit, ...argv] };
}

/**
 * Returns the environment that a shim was started with, which is its command's.
 *
 * @throws where the system does not say, as after a restart of the program on macOS
 */
export function environmentOf(shim: ProcessIdentity): Record<string, string> {
  const unknown = "Cannot run a command with the container's environment: it started before the program did";
  if (Deno.build.os !== "linux") throw new Error(`${unknown}, and only Linux has kept it`);
  const lines = readProc(`${shim.pid}/environ`).split("\0").filter((line) => line.includes("="));
  // Its pid may be another's by now.
  if (!isAlive(shim)) throw new Error(`${unknown}, and has ended`);
  return Object.fromEntries(lines.map((line) => {
    const equals = line.indexOf("=");
    return [line.slice(0, equals), line.slice(equals + 1)];
  }));
}
