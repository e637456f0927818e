/** How many are remembered of one CronJob. */
const REMEMBERED = 64;

/** The announcements of this process about one CronJob. */
export class Announcements {
  #said: Set<string> | undefined;

  /** Returns whether this is announced for the first time; from then on it counts as announced. */
  once(what: string): boolean {
    const said = this.#said ??= new Set();
    const isKnown = said.delete(what);
    // Last, whether new or not: what is said again and again is remembered longest.
    said.add(what);
    if (isKnown) return false;
    if (said.size > REMEMBERED) said.delete(said.values().next().value!);
    return true;
  }
}
