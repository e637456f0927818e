/** Trying again cannot help: the key waits for a change of its object. Thrown by a reconcile function. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}
