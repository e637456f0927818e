import { Value } from "./value.ts";

/** The ids of those that are ticked. */
export const selection: Value<ReadonlySet<string>> = new Value(new Set());

export function select(ids: readonly string[], isSelected: boolean) {
  const next = new Set(selection.current);
  for (const id of ids) {
    if (isSelected) next.add(id);
    else next.delete(id);
  }
  selection.set(next);
}
