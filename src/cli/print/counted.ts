/** Returns `3 ran, 1 failed`, without what there is none of. */
export function countsText(counts: readonly (readonly [count: number, words: string])[]): string {
  return counts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`).join(", ");
}

/** Returns `1 run` or `2,000 runs`. */
export function many(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
