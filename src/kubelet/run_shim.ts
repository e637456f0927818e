const IDENTIFY = Deno.build.os === "linux"
  ? "read -r __cjc </proc/$$/stat"
  : "__cjc=$(LC_ALL=C /bin/ps -o lstart= -p $$)";

/**
 * The small shell program between us and a container's process. Nobody can wait for another's child, so after a crash
 * of ours only a parent that lives on can write down how the process ended.
 *
 * Flow
 * 1. It claims the run: it creates `CLAIM`, which must not exist, and writes its own identity there. Who finds a claim
 *    already made starts nothing: a run that was given up meanwhile never starts late.
 * 2. It fills `EXIT` with blanks, so that there is room for the status also on a disk that the command fills up.
 * 3. Variables whose names are none to a shell, which it would drop, come to it under other names (`__cjc_1`, …); it has
 *    `env` set them. For that moment their values stand among that process's arguments.
 * 4. It starts the command as its child, in its own process group, output appended to `LOG`.
 * 5. It writes the child's exit status to `EXIT` (128 + n for signal n), then kills what is left of the group, itself
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
(
  __cjc_i=$1
  shift
  __cjc_n=$(($# - __cjc_i))
  if [ "$__cjc_i" -eq 0 ]; then exec "$@" 2>&1; fi
  while [ "$__cjc_i" -gt 0 ]; do
    eval "set -- \\"\\$@\\" \\"\\$1=\\$__cjc_$__cjc_i\\"; unset __cjc_$__cjc_i"
    shift
    __cjc_i=$((__cjc_i - 1))
  done
  while [ "$__cjc_n" -gt 0 ]; do
    set -- "$@" "$1"
    shift
    __cjc_n=$((__cjc_n - 1))
  done
  exec /usr/bin/env "$@" 2>&1
)
echo $? 1<>"$__cjc"
kill -KILL 0`;

export interface ShimFiles {
  readonly claim: string;
  readonly log: string;
  readonly exit: string;
}

/** A shell hands on only variables with such names. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The program, its arguments and its variables that run `argv` under the shim, with the variables `env`. */
export function shimCommand(
  files: ShimFiles,
  { argv, env }: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> },
): { program: string; args: string[]; env: Record<string, string> } {
  const others = Object.keys(env).filter((name) => !SHELL_NAME.test(name));
  const passed = Object.entries(env).filter(([name]) => SHELL_NAME.test(name));
  // The shell counts down from the last to the first.
  const renamed = others.map((name, index) => [`__cjc_${others.length - index}`, env[name]]);
  const { claim, log, exit } = files;
  return {
    program: "/bin/sh",
    args: ["-c", SHIM, "cronjob-controller", claim, log, exit, String(others.length), ...others, ...argv],
    env: Object.fromEntries([...passed, ...renamed]),
  };
}
