import { ManifestFileError } from "../manifest_files/manifest_file_error.ts";

/** The command line or the configuration is wrong: printed as one line, without a stack, exit code 2. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Whether the user can mend it by calling the program in another way. */
export function isUsageError(error: unknown): boolean {
  return error instanceof ConfigError || error instanceof ManifestFileError;
}
