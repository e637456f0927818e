import { Command } from "commander";
import { letSwitchesStandAlone } from "../../src/cli/options.ts";

/** What a command printed, and the exit code that it left. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs one command in this process, as `main.ts` would. Its errors reject. */
export async function runCommand(add: (program: Command) => void, ...args: string[]): Promise<Printed> {
  const program = new Command("cronjob-controller").exitOverride();
  program.configureOutput({ writeErr: () => {} });
  add(program);
  letSwitchesStandAlone(program);
  const printed: Record<"log" | "error", string[]> = { log: [], error: [] };
  const { log, error } = console;
  console.log = (text: string) => printed.log.push(text);
  console.error = (text: string) => printed.error.push(text);
  try {
    await program.parseAsync(args, { from: "user" });
    return { stdout: printed.log.join("\n"), stderr: printed.error.join("\n"), exitCode: Deno.exitCode };
  } finally {
    Object.assign(console, { log, error });
    Deno.exitCode = 0;
  }
}
