/** A shell hands on only variables with such names. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables in a form in which a shell hands all of them on, with {@linkcode become}. */
export interface ShellVariables {
  /** What {@linkcode become} takes before the command's words. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Returns them; those whose names are none to a shell, which it would drop, come to it under other names (`__cjc_1`, …). */
export function shellVariables(env: Readonly<Record<string, string>>): ShellVariables {
  const others = Object.keys(env).filter((name) => !SHELL_NAME.test(name));
  const passed = Object.entries(env).filter(([name]) => SHELL_NAME.test(name));
  // The shell counts down from the last to the first.
  const renamed = others.map((name, index) => [`__cjc_${others.length - index}`, env[name]]);
  return { words: [String(others.length), ...others], env: Object.fromEntries([...passed, ...renamed]) };
}

/**
 * What a shell says to become a command with such variables. It has `env` set those that come under other names: for that
 * moment their values stand among that process's arguments.
 *
 * @param redirection of the command
 */
export function become(redirection = ""): string {
  return `__cjc_i=$1
shift
__cjc_n=$(($# - __cjc_i))
if [ "$__cjc_i" -eq 0 ]; then exec "$@" ${redirection}; fi
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
exec /usr/bin/env "$@" ${redirection}`;
}

/**
 * Returns what {@linkcode shellVariables} was called with.
 *
 * @param environment of the shell, each as `NAME=VALUE`
 * @param words of its command line, from those of {@linkcode ShellVariables} on
 */
export function readShellVariables(environment: readonly string[], words: readonly string[]): Record<string, string> {
  const [count, ...rest] = words;
  const others = rest.slice(0, Number(count));
  const entries = environment.filter((line) => line.includes("=")).map((line): [string, string] => {
    const equals = line.indexOf("=");
    const name = line.slice(0, equals);
    const [, number] = /^__cjc_(\d+)$/.exec(name) ?? [];
    const other = number && others[others.length - Number(number)];
    return [other || name, line.slice(equals + 1)];
  });
  return Object.fromEntries(entries);
}
