import type { Command } from "commander";

/** A command line that a user could type, without the name of the program, and what it does. */
export type Example = readonly [line: string, does: string];

/** The notes below the options in a command's help. */
export interface HelpNotes {
  /** Paragraphs, with an empty line between them; broken into lines as wide as the terminal. */
  readonly text?: string;
  readonly examples: readonly [Example, Example, ...Example[]];
}

const notes = new WeakMap<Command, Partial<HelpNotes>>();

/** Adds what the help of a command says below its options. */
export function addHelpNotes(command: Command, added: Partial<HelpNotes>): Command {
  notes.set(command, added);
  return command;
}

/** Returns what was added. */
export function helpNotesOf(command: Command): Partial<HelpNotes> {
  return notes.get(command) ?? {};
}
