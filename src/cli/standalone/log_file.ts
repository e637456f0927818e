import { LogFile } from "../../telemetry/log_file.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { ConfigError } from "../errors.ts";

/**
 * Opens the log that `--log-file` names.
 *
 * @throws {ConfigError} where nothing can be written to it: all that is said would be lost
 */
export function openLogFile(path: string): LogFile {
  const file = new LogFile(path);
  try {
    file.open();
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "its folder is not there" : messageOf(error);
    const remedy = "name a file in a folder that the user of this program may write to";
    throw new ConfigError(`Cannot write --log-file ${path}: ${reason}; ${remedy}`, { cause: error });
  }
  return file;
}
