// @ts-check
import { Value } from "./value.js";

/** The ids of those that are ticked. @type {Value<ReadonlySet<string>>} */
export const selection = new Value(new Set());

/** @param {readonly string[]} ids @param {boolean} isSelected */
export function select(ids, isSelected) {
  const next = new Set(selection.current);
  for (const id of ids) {
    if (isSelected) next.add(id);
    else next.delete(id);
  }
  selection.set(next);
}

export function selectNone() {
  selection.set(new Set());
}
