/** Refusals within this time of each other belong together; for as long a server counts as well that a probe found so. */
const WINDOW_MS = 1_000;

/**
 * Judges by who is refused, never by what a refusal says, whether the server may be overloaded. Times are monotonic.
 *
 * One namespace that is refused says nothing of the server: an admission webhook may refuse what one tenant wants. Nor is
 * anything sure before a probe has been answered: two namespaces may have such a webhook, and a single resource may have
 * no storage for a moment.
 */
export class Overload {
  #last: { readonly namespace: string | undefined; readonly at: number } | undefined;
  #wellAt = -Infinity;

  /** Notes a refusal; returns whether the server is suspect. No webhook is asked about what is refused `byServer`. */
  refused({ namespace, byServer }: { namespace: string | undefined; byServer: boolean }, now: number): boolean {
    const last = this.#last;
    this.#last = { namespace, at: now };
    if (now - this.#wellAt < WINDOW_MS) return false;
    return byServer || (last !== undefined && last.namespace !== namespace && now - last.at < WINDOW_MS);
  }

  /** Notes that a probe was answered well. */
  well(now: number): void {
    this.#wellAt = now;
    this.#last = undefined;
  }
}
