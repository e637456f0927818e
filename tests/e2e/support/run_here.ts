import { runMain } from "../../cli/support/run_command.ts";
import { COMPILED, runProgram } from "../../support/program.ts";
import type { Ended } from "../../support/run_to_end.ts";

/** Runs a command: of the compiled program where that is under test, else in this process, which takes a tenth of the CPU. */
export async function runHere(args: string[]): Promise<Ended> {
  if (COMPILED) return await runProgram(args);
  const { exitCode, stdout, stderr } = await runMain(args);
  return { code: exitCode, stdout: stdout && `${stdout}\n`, stderr: stderr && `${stderr}\n` };
}
