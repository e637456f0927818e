import { isBourneShell } from "../base/bourne_shell.ts";
import { CrontabError } from "./crontab_error.ts";

/** A command of a crontab, taken apart as cron does. */
export interface CronCommand {
  /** The text that the shell runs. */
  readonly script: string;
  /** Its standard input; undefined where there is none. */
  readonly input: string | undefined;
}

/**
 * Reads percent signs as cron does: the first ends the command, and the rest is its standard input, in which percent signs
 * are newlines. `\%` is a plain percent sign; in the command, `\\` is a single backslash.
 */
export function readCommand(text: string): CronCommand {
  let script = "";
  for (let at = 0; at < text.length; at++) {
    const [character, next] = [text[at], text[at + 1]];
    if (character === "%") return { script, input: readInput(text.slice(at + 1)) };
    if (character === "\\" && (next === "%" || next === "\\")) {
      script += next;
      at++;
    } else if (character === "\\" && next !== undefined) {
      script += character + next;
      at++;
    } else script += character;
  }
  return { script, input: undefined };
}

/** Returns the standard input. cron ends its last line, unless the input is empty. */
function readInput(text: string): string {
  const input = text.replaceAll(/\\%|%/g, (sign) => sign === "%" ? "\n" : "%");
  return input === "" || input.endsWith("\n") ? input : `${input}\n`;
}

/**
 * Returns the command of a container.
 *
 * @throws {CrontabError} if the shell cannot be given the input
 */
export function containerCommand({ script, input }: CronCommand, shell: string): string[] {
  if (input === undefined) return [shell, "-c", asContainerText(script)];
  if (!isBourneShell(shell)) {
    throw new CrontabError(
      `the input behind % needs a shell with here-documents, SHELL is ${shell}: put it into a file`,
    );
  }
  const end = delimiterFor(input);
  return [shell, "-c", asContainerText(`{ ${script}\n} <<'${end}'\n${input}${end}\n`)];
}

/** Returns a line that does not stand in the input. */
function delimiterFor(input: string): string {
  const lines = new Set(input.split("\n"));
  let end = "END";
  while (lines.has(end)) end += "_";
  return end;
}

/**
 * Escapes text for a manifest, so that the process gets it unchanged: in `command`, `args` and the values of `env`
 * Kubernetes replaces `$(NAME)` by a variable, and `$$` by `$`. `$(date +%F)` needs no escape, as no variable is named so.
 */
export function asContainerText(text: string): string {
  return text.replaceAll(
    /\$\(([^()$]*)\)|(\$+)(\(?)/g,
    (whole, inside?: string, dollars?: string, opening?: string) => {
      if (inside !== undefined) return VARIABLE_NAME.test(inside) ? `$${whole}` : whole;
      return dollars!.length > 1 || opening !== "" ? `${dollars}${dollars}${opening}` : whole;
    },
  );
}

const VARIABLE_NAME = /^[\w.-]*$/;
