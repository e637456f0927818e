import type { Argument, Command } from "commander";
import { type Clock, SystemClock } from "../base/clock.ts";
import type { Flag, OptionsOf } from "./flags/options.ts";
import { addHelpNotes, type HelpNotes } from "./help/notes.ts";

/** Adds a command to a program, or to a command above it. */
export type AddCommand = (above: Command, clock?: Clock) => void;

/** A command as its help shows it, and its work. */
interface CommandSpec<Flags extends readonly Flag[]> extends Partial<HelpNotes> {
  readonly name: string;
  /** A phrase for the list of commands, of which the help of this one makes a sentence. */
  readonly summary: string;
  /** Where it is not the usual one. */
  readonly usage?: string;
  readonly isHidden?: boolean;
  readonly argument?: Argument;
  readonly options?: Flags;
  readonly commands?: readonly AddCommand[];
  /** `words` are the arguments, those behind `--` included. */
  readonly run?: (options: OptionsOf<Flags>, words: string[], context: { clock: Clock; command: Command }) => unknown;
}

/** Returns the function that adds a command. */
export function command<Flags extends readonly Flag[] = []>(spec: CommandSpec<Flags>): AddCommand {
  const { name, summary, usage, isHidden: hidden = false, argument, options, commands = [], run } = spec;
  return (above, clock = new SystemClock()) => {
    const command = addHelpNotes(above.command(name, { hidden }), spec).helpCommand(false)
      .summary(summary).description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
    if (usage !== undefined) command.usage(usage);
    if (argument) command.addArgument(argument);
    options?.forEach((option) => command.addOption(option));
    for (const add of commands) add(command, clock);
    if (run) {
      command.action(async () => void await run(command.opts<OptionsOf<Flags>>(), command.args, { clock, command }));
    }
  };
}
