import { ManifestFileError } from "../manifest_files/manifest_file_error.ts";
import { messageOf } from "../telemetry/message_of.ts";

/** The command line or the configuration is wrong: printed as one line, without a stack, exit code 2. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** The value of a flag is wrong, whatever the machine is like: calling the program again in the same way changes nothing. */
export class FlagError extends ConfigError {}

/**
 * A question whose answer is the exit code could not be answered: 2, as `diff` and `grep` have it, so that 1 means that the
 * answer is no.
 */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** Calls `ask`; where its exit code is the answer, what keeps it from one is a {@linkcode NoAnswerError}. */
export async function answering(isAsked: boolean, ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!isAsked || isUsageError(error)) throw error;
    throw new NoAnswerError(messageOf(error), { cause: error });
  }
}

/** Returns whether the user can mend it by calling the program in another way. */
export function isUsageError(error: unknown): boolean {
  return error instanceof ConfigError || error instanceof ManifestFileError;
}
