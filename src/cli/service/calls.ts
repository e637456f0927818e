import { ConfigError } from "../errors.ts";

/** In which surroundings a program is called, if not in ours. */
type Surroundings = Pick<Deno.CommandOptions, "cwd" | "clearEnv" | "env">;

/** Calls a program whose output goes to the terminal. @throws {Error} where it cannot be called, or fails */
export async function callShown(command: readonly string[], surroundings?: Surroundings): Promise<void> {
  const { code } = await spawned(command, "inherit", surroundings);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with exit code ${code}`);
}

/** Calls a program that may fail. */
export async function callQuietly(command: readonly string[]): Promise<void> {
  await spawned(command, "null");
}

/** Calls a program, and returns whether it ends well. */
export async function succeeds(command: readonly string[]): Promise<boolean> {
  return (await spawned(command, "null")).success;
}

/** Returns what a program prints; nothing where it is missing or fails. */
export async function outputOf([program = "", ...args]: readonly string[]): Promise<string> {
  try {
    const { stdout } = await new Deno.Command(program, { args, stdin: "null", stderr: "null" }).output();
    return new TextDecoder().decode(stdout);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

async function spawned(
  [program = "", ...args]: readonly string[],
  output: "inherit" | "null",
  surroundings: Surroundings = {},
): Promise<Deno.CommandStatus> {
  try {
    const options = { ...surroundings, args, stdin: "null", stdout: output, stderr: output } as const;
    return await new Deno.Command(program, options).spawn().status;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new ConfigError(
      `There is no ${program} on this machine: without systemd or launchd, have something else keep standalone running`,
    );
  }
}
