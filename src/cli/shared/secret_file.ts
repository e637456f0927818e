import { ConfigError } from "../errors.ts";

/**
 * Reads a file that holds a secret.
 *
 * @throws {ConfigError} naming the flag and the file, where it can't be read
 */
export async function readSecretFile(file: string, flag: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "there is no such file" : (cause as Error).message;
    throw new ConfigError(`Cannot read ${flag} ${file}: ${reason}`, { cause });
  }
}
