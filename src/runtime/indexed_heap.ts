/**
 * A binary heap of keys, the smallest priority on top, in which any key can be found, moved and deleted in O(log n).
 *
 * Invariants: no entry has a smaller priority than its parent, `(index - 1) >> 1`; `#index` holds the place of every key
 * in `#entries`, and of no other.
 */
export class IndexedHeap<Key> {
  readonly #entries: { key: Key; priority: number }[] = [];
  readonly #index = new Map<Key, number>();

  /** The entry with the smallest priority. */
  peek(): { readonly key: Key; readonly priority: number } | undefined {
    return this.#entries[0];
  }

  /** How many entries have at most this priority; counts no further than to `max`. */
  countUpTo(priority: number, max: number, from = 0): number {
    const entry = this.#entries[from];
    if (max <= 0 || entry === undefined || entry.priority > priority) return 0;
    let count = 1;
    for (const child of [2 * from + 1, 2 * from + 2]) count += this.countUpTo(priority, max - count, child);
    return count;
  }

  priorityOf(key: Key): number | undefined {
    const index = this.#index.get(key);
    return index === undefined ? undefined : this.#entries[index]?.priority;
  }

  /** Adds a key, or moves it to another priority. */
  set(key: Key, priority: number): void {
    // NaN compares false with everything: it would corrupt the heap without a sound.
    if (Number.isNaN(priority)) throw new RangeError(`Cannot put ${String(key)} on the heap: its priority is NaN`);
    const index = this.#index.get(key);
    if (index === undefined) {
      const last = this.#entries.length;
      this.#put({ key, priority }, last);
      this.#up(last);
    } else {
      this.#entries[index]!.priority = priority;
      this.#down(this.#up(index));
    }
  }

  /** Takes the entry with the smallest priority off. */
  pop(): { key: Key; priority: number } | undefined {
    const top = this.#entries[0];
    if (top) this.delete(top.key);
    return top;
  }

  /** Removes a key. Returns whether it was there. */
  delete(key: Key): boolean {
    const index = this.#index.get(key);
    if (index === undefined) return false;
    this.#index.delete(key);
    const last = this.#entries.pop()!;
    if (index < this.#entries.length) {
      this.#entries[index] = last;
      this.#index.set(last.key, index);
      this.#down(this.#up(index));
    }
    return true;
  }

  clear(): void {
    this.#entries.length = 0;
    this.#index.clear();
  }

  #up(index: number): number {
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) break;
      this.#swap(index, parent);
      index = parent;
    }
    return index;
  }

  #down(index: number): void {
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      let least = index;
      if (left < this.#entries.length && this.#isBefore(left, least)) least = left;
      if (right < this.#entries.length && this.#isBefore(right, least)) least = right;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    return this.#entries[one]!.priority < this.#entries[other]!.priority;
  }

  #swap(one: number, other: number): void {
    const [first, second] = [this.#entries[one]!, this.#entries[other]!];
    this.#put(first, other);
    this.#put(second, one);
  }

  #put(entry: { key: Key; priority: number }, index: number): void {
    this.#entries[index] = entry;
    this.#index.set(entry.key, index);
  }
}
