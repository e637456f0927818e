import { ManifestFileError } from "../manifest_files/manifest_file_error.ts";
import { messageOf } from "../telemetry/message_of.ts";

/** The command line or the configuration is wrong: printed as one line, without a stack, exit code 2. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** The value of a flag is wrong on every machine: calling the program again in the same way changes nothing. */
export class FlagError extends ConfigError {}

/** A command whose exit code is its answer found none: exit code 2, as of `diff` and `grep`, since 1 means no. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** Runs a command. Where its exit code is the answer, a failure becomes a {@linkcode NoAnswerError}. */
export async function answering(isAnswer: boolean, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isAnswer || isUsageError(error)) throw error;
    throw new NoAnswerError(messageOf(error), { cause: error });
  }
}

/** Returns whether calling the program in another way mends the error. */
export function isUsageError(error: unknown): boolean {
  return error instanceof ConfigError || error instanceof ManifestFileError;
}
