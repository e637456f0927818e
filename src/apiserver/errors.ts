/** The server cannot start, or cannot keep on, for a reason that its user can do something about. The message is one line. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}
