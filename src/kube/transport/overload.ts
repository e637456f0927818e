/** Refusals within this time of each other belong together. A good answer to a probe counts for the same time. */
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

  /** Notes a refusal; returns whether the server is suspect. `byServer`: no webhook can have refused the request. */
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
