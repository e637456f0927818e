/** Refusals within this time of each other belong together; as long is a server taken for what a probe showed it to be. */
const WINDOW_MS = 1_000;

/**
 * What a refusal that asks to come back says.
 *
 * - `own`: nothing about the server, as yet. An admission webhook may refuse what one tenant wants.
 * - `suspected`: several namespaces are refused at once. The server may be overloaded, or these have a webhook each.
 * - `certain`: the server itself refuses.
 */
export type Evidence = "own" | "suspected" | "certain";

/** Judges by who is refused, never by what a refusal says, whether the server is overloaded. Times are monotonic. */
export class Overload {
  #last: { readonly namespace: string | undefined; readonly at: number } | undefined;
  #wellAt = -Infinity;

  /** No webhook is asked about a read or (as far as anybody has that) about a Lease: these the server itself refuses. */
  refused({ namespace, byServer }: { namespace: string | undefined; byServer: boolean }, now: number): Evidence {
    if (byServer) return "certain";
    const last = this.#last;
    this.#last = { namespace, at: now };
    if (now - this.#wellAt < WINDOW_MS || !last) return "own";
    return last.namespace !== namespace && now - last.at < WINDOW_MS ? "suspected" : "own";
  }

  /** A probe was answered well. */
  well(now: number): void {
    this.#wellAt = now;
    this.#last = undefined;
  }
}
