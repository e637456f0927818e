import type { FieldItem, ItemReader } from "./field_item.ts";

/** The last day that every month has: `H` in day-of-month stays within it, so that no month is left out. */
const LAST_DAY_OF_EVERY_MONTH = 28;

/**
 * Reads Jenkins' `H`, `H/n`, `H(a-b)` and `H(a-b)/n`: a value, or the first of evenly spaced values, that depends on nothing
 * but `hash`.
 */
export function parseHashItem(reader: ItemReader, hash: number): FieldItem {
  const match = /^H(?:\(([^()-]+)-([^()-]+)\))?(?:\/(.+))?$/.exec(reader.text);
  if (match === null) throw reader.error("must be H, H/n, H(a-b) or H(a-b)/n");
  const [, firstText, lastText, stepText] = match;
  const { min, max } = reader.rule;
  const first = firstText === undefined ? min : reader.value(firstText);
  const last = lastText === undefined
    ? (reader.field === "day-of-month" ? LAST_DAY_OF_EVERY_MONTH : max)
    : reader.value(lastText);
  if (first > last) throw reader.error("a range must rise");
  const count = last - first + 1;
  const step = stepText === undefined ? 1 : reader.step(stepText);
  // A step of 1 is no step to Jenkins: one value, not all of them.
  if (step === 1) {
    const value = first + hash % count;
    return { first: value, last: value, step, starred: false };
  }
  if (step > count) throw reader.error(`the step after "/" must be at most ${count}, the number of values`);
  return { first: first + hash % step, last, step, starred: false };
}
