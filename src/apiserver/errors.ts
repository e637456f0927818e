import { messageOf } from "../telemetry/message_of.ts";

/** The server cannot start, or cannot keep on, for a reason that its user can do something about. The message is one line. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}

/**
 * Returns what `work` returns.
 *
 * @param task what fails if `work` does: `Cannot read token /data/token`
 * @throws {ServerError}
 */
export function attempt<T>(task: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ServerError(`${task}: ${messageOf(error)}`, { cause: error });
  }
}
