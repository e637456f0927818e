import type { Command } from "commander";
import { printable } from "../../telemetry/printable.ts";
import { complete } from "./complete.ts";
import { findNames } from "./names.ts";

/** Directives for a shell beside the candidates, as numbers of the protocol that kubectl's plugins speak (Cobra's). */
const DIRECTIVES = { files: 0, words: 4, names: 4, folders: 16 } as const;

/** Prints what could stand in the place of the last of `words`: a candidate a line, behind a tab what it is, then `:NUMBER`. */
export async function printCompletions(program: Command, words: readonly string[]): Promise<void> {
  const completion = complete(program, words);
  const candidates = completion.kind === "words"
    ? completion.candidates
    : completion.kind === "names"
    ? await findNames(completion.of, completion.whereabouts)
    : [];
  const lines = candidates.filter(({ word }) => word.startsWith(words.at(-1) ?? ""))
    .map(({ word, description }) => description ? `${word}\t${printable(description)}` : word);
  console.log([...lines, `:${DIRECTIVES[completion.kind]}`].join("\n"));
}
