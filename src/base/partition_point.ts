/** Returns how many items are `isBefore`. All of these must come first: the search halves the rest at each step. */
export function partitionPoint<T>(items: ArrayLike<T>, isBefore: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
