import { ifPossible } from "../files/disk.ts";

/** The path that util-linux installs. */
const SCRIPT = "/usr/bin/script";

/** The size of a terminal before its client says otherwise. */
const SIZE = "rows 24 cols 80";

const SIGNALS = "HUP INT QUIT TERM USR1 USR2 ALRM";

/**
 * The line before the start of the watcher, which waits for the client to go: from its first moment on the watcher ignores
 * signals that the command may send to the whole group.
 */
export const STAY = `trap '' ${SIGNALS}`;

/** The line after that start. */
export const LEAVE = `trap - ${SIGNALS}`;

/**
 * A script that becomes the command, inside its terminal. The pipe brings the terminal's new sizes; its end is the
 * client's: as when a terminal is closed, the session is hung up, and a second later all of it is killed. (A shell at a
 * terminal gives each job a process group of its own, so that the group alone would not do.)
 */
const IN_TERMINAL = `stty ${SIZE}
exec 4<&0
${STAY}
( while read -r __cjc_rows __cjc_columns <&3; do stty rows "$__cjc_rows" cols "$__cjc_columns" <&4; done
kill -HUP 0
sleep 1
read -r __cjc_self __cjc_line </proc/self/stat
for __cjc_each in /proc/[0-9]*; do
  read -r __cjc_line <"$__cjc_each/stat" || continue
  set -- \${__cjc_line##*) }
  if [ "$4" = $$ ] && [ "\${__cjc_each#/proc/}" != "$__cjc_self" ]; then kill -KILL "\${__cjc_each#/proc/}"; fi
done ) </dev/null >/dev/null 2>&1 &
${LEAVE}
exec 3<&- 4<&-
unset PWD OLDPWD SHLVL
if [ -n "$__cjc_shell" ]; then SHELL=$__cjc_shell; else unset SHELL; fi
unset __cjc_shell
exec "$@"`;

/**
 * Returns what gives a command a terminal of its own: `script`, which nearly every Linux has.
 *
 * @throws if there is none here
 */
export function inTerminal(argv: readonly string[], env: Readonly<Record<string, string>>) {
  if (!isUtilLinux()) {
    throw new Error(`Cannot make a terminal: that takes ${SCRIPT} of util-linux; leave --tty (-t) out`);
  }
  const { SHELL, ...others } = env;
  const quoted = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const script = `set -- ${quoted.join(" ")}\n${IN_TERMINAL}`;
  return {
    program: SCRIPT,
    args: ["--quiet", "--return", "--flush", "--command", script, "/dev/null"],
    // This shell reads the script.
    env: { TERM: "xterm", ...others, ...SHELL === undefined ? {} : { __cjc_shell: SHELL }, SHELL: "/bin/sh" },
  };
}

/** The `script` of macOS and that of busybox take other arguments. */
function isUtilLinux(): boolean {
  const command = new Deno.Command(SCRIPT, { args: ["--version"], stdin: "null", stderr: "null" });
  const said = ifPossible(() => new TextDecoder().decode(command.outputSync().stdout));
  return said?.includes("util-linux") ?? false;
}
