import type { Container } from "kubernetes-types/core/v1";
import { ifPossible } from "../files/disk.ts";
import { expand } from "../inputs/env.ts";
import { StartError } from "../runtime.ts";

/** How a process in a container is started. */
export interface Command {
  /** The program's path, with a slash in it, then its arguments. */
  readonly argv: readonly string[];
  /** All of its environment. A shell drops variables whose names are not its own. */
  readonly env: Readonly<Record<string, string>>;
  /** An existing directory. */
  readonly workingDirectory: string;
}

/** A command that waits until it is ended. */
const WAIT = ["/bin/sh", "-c", "exec tail -f /dev/null"];

/** Returns whether it is the pause image, the only one whose entry point is known: it waits. */
export function isPause({ image = "", command = [], args = [] }: Container): boolean {
  return command.length === 0 && args.length === 0 && /(^|\/)pause(-[a-z0-9]+)?([:@]|$)/.test(image);
}

/** Returns the words that a container stands for: `command` followed by `args`, or `args` alone. */
export function wordsOf(container: Container, variables: Readonly<Record<string, string>>): readonly string[] {
  const words = [...container.command ?? [], ...container.args ?? []];
  return isPause(container) ? WAIT : words.map((word) => expand(word, variables));
}

/**
 * Returns how a program and its arguments are started.
 *
 * @throws {StartError} where there is no such program or working directory
 */
export function commandOf(
  [name = "", ...args]: readonly string[],
  { environment, workingDirectory }: { environment: Readonly<Record<string, string>>; workingDirectory: string },
): Command {
  if (!statOf(workingDirectory)?.isDirectory) {
    throw new StartError(`workingDir "${workingDirectory}": no such directory`);
  }
  const [broken] = Object.entries({ ...environment, args: args.join() }).find(([, text]) => text.includes("\0")) ?? [];
  if (broken) throw new StartError(`${broken}: no process can be given a null character`);
  const program = findProgram(name, { path: environment.PATH ?? "", workingDirectory });
  return { argv: [program, ...args], env: environment, workingDirectory };
}

function findProgram(name: string, options: { path: string; workingDirectory: string }): string {
  if (name.includes("/")) {
    const path = name.startsWith("/") ? name : `${options.workingDirectory}/${name}`;
    const problem = problemOf(path);
    if (problem) throw new StartError(`exec: "${name}": ${problem}`);
    return path;
  }
  const places = options.path.split(":").filter((place) => place.startsWith("/"));
  const found = places.map((place) => `${place}/${name}`).find((path) => problemOf(path) === undefined);
  if (name === "" || !found) throw new StartError(`exec: "${name}": executable file not found in $PATH`);
  return found;
}

function problemOf(path: string): string | undefined {
  const found = statOf(path);
  if (!found?.isFile) return found ? "is not a file" : "no such file or directory";
  return ((found.mode ?? 0o111) & 0o111) === 0 ? "permission denied" : undefined;
}

function statOf(path: string): Deno.FileInfo | undefined {
  return ifPossible(() => Deno.statSync(path));
}
