/** How far the log of a container has been read, by the times of its lines: what is read again is known by them. */
export class LogPlace {
  #first = "";
  #last = "";
  /** Of lines of that time. */
  #count = 0;
  /** As many of them come again; undefined among new lines. */
  #left: number | undefined;

  /** The second from which it is to be read on, as API servers know no finer time; undefined at the beginning. */
  get since(): string | undefined {
    return this.#last === "" ? undefined : this.#last.replace(/\.\d+/, "");
  }

  /** Has the next lines taken for known ones, up to here. @param isTail whether it was not read from its beginning */
  readAgain(isTail = false): void {
    // Of the first time some lines were left out.
    this.#left = isTail && this.#first === this.#last ? Infinity : this.#count;
  }

  /** Returns whether the next line is new. @param at its time, with all decimals that are known */
  passes(at: string): boolean {
    if (this.#left !== undefined) {
      if (isBefore(at, this.#last) || (at === this.#last && this.#left-- > 0)) return false;
      this.#left = undefined;
    }
    this.#first ||= at;
    if (at !== this.#last) [this.#last, this.#count] = [at, 0];
    this.#count++;
    return true;
  }
}

/** Of one zone or of several: the clocks of a node may be set back by an hour. */
function isBefore(at: string, other: string): boolean {
  const ms = Date.parse(at) - Date.parse(other);
  return ms < 0 || (ms === 0 && at < other);
}

const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) (.*)$/s;

/** Returns a line of a log and its time; without one where the server puts none before it. */
export function readStamped(line: string): { readonly at?: string; readonly text: string } {
  const [, at, text = line] = STAMPED.exec(line) ?? [];
  return at === undefined ? { text } : { at, text };
}
