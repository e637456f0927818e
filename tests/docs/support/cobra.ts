import { must } from "../../support/expected.ts";
import { runToEnd } from "../../support/run_to_end.ts";

/**
 * Returns why kubectl or helm would not take these words; undefined where it does. Asked for help behind them, such a program
 * reads all flags first, and does nothing.
 */
export async function cobraComplaint(program: string, words: readonly string[]): Promise<string | undefined> {
  const end = words.indexOf("--");
  const own = end < 0 ? words : words.slice(0, end);
  const { code, stdout, stderr } = await runToEnd([program, ...own, "--help"]);
  if (code !== 0) return must(stderr.trim().split("\n")[0]).replace(/^Error:/, "error:");
  // A word that is no command of a group gets the help of the group.
  if (!/^(?:Available|Basic) Commands/m.test(stdout)) return undefined;
  const known = [...commandOf(program, stdout), ...filesOf(own)];
  const unknown = own.find((word) => !word.startsWith("-") && !known.includes(word));
  return unknown === undefined
    ? undefined
    : `there is no command ${unknown} in ${[program, ...commandOf(program, stdout)].join(" ")}`;
}

/** The words of the command that help is about. */
function commandOf(program: string, help: string): string[] {
  const usage = new RegExp(`^\\s+${program}((?: [a-z][a-z-]*)*)`, "m").exec(help.slice(help.indexOf("Usage:")));
  return (usage?.[1] ?? "").split(" ").filter((word) => word !== "");
}

/** The files that kubectl is to read: `-k deploy/crd`. */
export function filesOf(words: readonly string[]): string[] {
  return words.flatMap((word, i) => {
    const [, flag, value] = /^(-k|-f|--filename|--kustomize|--patch-file)(?:=(.*))?$/.exec(word) ?? [];
    const file = flag === undefined ? undefined : value ?? words[i + 1];
    return file === undefined || file === "-" ? [] : [file];
  });
}
