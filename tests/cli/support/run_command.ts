import { Command } from "commander";
import { isUsageError, NoAnswerError } from "../../../src/cli/errors.ts";
import { prepareOptions } from "../../../src/cli/flags/options.ts";
import { main } from "../../../src/cli/main.ts";
import { messageOf } from "../../../src/telemetry/message_of.ts";

/** What a command printed, and the exit code that it left. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs one command in this process, as `main.ts` would. Its errors reject. */
export async function runCommand(add: (program: Command) => void, ...args: string[]): Promise<Printed> {
  return await whatPrints(() => parse(add, args));
}

/** Runs one command in this process, and prints its errors as `main.ts` does. */
export async function runToTheEnd(add: (program: Command) => void, ...args: string[]): Promise<Printed> {
  return await whatPrints(async () => {
    try {
      await parse(add, args);
    } catch (error) {
      console.error(`cronjob-controller: ${messageOf(error)}`);
      Deno.exitCode = isUsageError(error) || error instanceof NoAnswerError ? 2 : 1;
    }
  });
}

/** Runs the whole program in this process. */
export async function runMain(args: string[], os: typeof Deno.build.os = "linux"): Promise<Printed> {
  return await whatPrints(async () => void (Deno.exitCode = await main(args, os)));
}

async function parse(add: (program: Command) => void, args: readonly string[]): Promise<void> {
  const program = new Command("cronjob-controller").exitOverride();
  program.configureOutput({ writeErr: () => {} });
  add(program);
  prepareOptions(program);
  await program.parseAsync(args, { from: "user" });
}

async function whatPrints(act: () => Promise<void>): Promise<Printed> {
  const printed: Record<"log" | "error", string[]> = { log: [], error: [] };
  const { log, error } = console;
  console.log = (text: string) => printed.log.push(text);
  console.error = (text: string) => printed.error.push(text);
  try {
    await act();
    return { stdout: printed.log.join("\n"), stderr: printed.error.join("\n"), exitCode: Deno.exitCode };
  } finally {
    Object.assign(console, { log, error });
    Deno.exitCode = 0;
  }
}
