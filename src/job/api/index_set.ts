import { partitionPoint } from "../../base/partition_point.ts";

/**
 * A set of completion indexes, as intervals. Invariant: intervals rise, and between two of them at least one index is
 * missing.
 *
 * Its text is the compressed form of `status.completedIndexes`: `1,3-5,7`; two neighbours are written `3,4`.
 */
export class IndexSet {
  static readonly EMPTY = new IndexSet([]);

  readonly #intervals: readonly (readonly [first: number, last: number])[];

  private constructor(intervals: readonly (readonly [number, number])[]) {
    this.#intervals = intervals;
  }

  /** Reads the compressed form, leaving out indexes from `completions` on and parts that are no index. */
  static parse(text: string | undefined, completions: number): IndexSet {
    const intervals: [number, number][] = [];
    for (const part of (text ?? "").split(",")) {
      const match = /^(\d+)(?:-(\d+))?$/.exec(part.trim());
      if (!match) continue;
      const first = Number(match[1]);
      const last = Math.min(Number(match[2] ?? match[1]), completions - 1);
      if (first <= last) intervals.push([first, last]);
    }
    return IndexSet.#merge(intervals);
  }

  static of(indexes: Iterable<number>): IndexSet {
    return IndexSet.#merge(Array.from(indexes, (index) => [index, index]));
  }

  static #merge(intervals: (readonly [number, number])[]): IndexSet {
    intervals.sort((a, b) => a[0] - b[0]);
    const merged: [number, number][] = [];
    for (const [first, last] of intervals) {
      const previous = merged.at(-1);
      if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
      else merged.push([first, last]);
    }
    return new IndexSet(merged);
  }

  get size(): number {
    return this.#intervals.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  has(index: number): boolean {
    const interval = this.#intervals[partitionPoint(this.#intervals, ([, last]) => last < index)];
    return interval !== undefined && interval[0] <= index;
  }

  union(other: IndexSet | Iterable<number>): IndexSet {
    const set = other instanceof IndexSet ? other : IndexSet.of(other);
    if (set.#intervals.length === 0) return this;
    return IndexSet.#merge([...this.#intervals, ...set.#intervals]);
  }

  /** How many indexes both sets have. */
  overlap(other: IndexSet): number {
    let count = 0;
    let others = 0;
    for (const [first, last] of this.#intervals) {
      for (let each = other.#intervals[others]; each && each[0] <= last; each = other.#intervals[++others]) {
        count += Math.max(0, Math.min(last, each[1]) - Math.max(first, each[0]) + 1);
        if (each[1] > last) break;
      }
    }
    return count;
  }

  /** The first `count` indexes below `completions` that are not in the set. */
  firstMissing(count: number, completions: number): number[] {
    const missing: number[] = [];
    let candidate = 0;
    for (const [first, last] of this.#intervals) {
      for (; candidate < first && candidate < completions && missing.length < count; candidate++) {
        missing.push(candidate);
      }
      candidate = last + 1;
    }
    for (; candidate < completions && missing.length < count; candidate++) missing.push(candidate);
    return missing;
  }

  toString(): string {
    return this.#intervals
      .map(([first, last]) => first === last ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`)
      .join(",");
  }
}
