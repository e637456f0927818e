import type { Command } from "commander";
import { printable } from "../../telemetry/printable.ts";
import { type Candidate, complete, type Completion } from "./complete.ts";
import { findNames } from "./names.ts";

/** What a shell is to do beside offering the candidates, as numbers of the protocol that kubectl's plugins speak (Cobra's). */
const FILES_TOO = 0;
const NOTHING_ELSE = 4;
const FOLDERS_ONLY = 16;

/** Prints what could stand in the place of the last of `words`: a candidate a line, behind a tab what it is, then `:NUMBER`. */
export async function printCompletions(program: Command, words: readonly string[]): Promise<void> {
  const completion = complete(program, words);
  const word = words.at(-1) ?? "";
  const candidates = (await candidatesFor(completion)).filter((candidate) => candidate.word.startsWith(word));
  console.log([...candidates.map(lineOf), `:${directiveOf(completion)}`].join("\n"));
}

async function candidatesFor(completion: Completion): Promise<readonly Candidate[]> {
  if (completion.kind === "files" || completion.kind === "folders") return [];
  if (completion.kind === "words") return completion.candidates;
  return await findNames(completion.of, completion.whereabouts);
}

function directiveOf({ kind }: Completion): number {
  return kind === "files" ? FILES_TOO : kind === "folders" ? FOLDERS_ONLY : NOTHING_ELSE;
}

function lineOf({ word, description }: Candidate): string {
  return description ? `${word}\t${printable(description)}` : word;
}
