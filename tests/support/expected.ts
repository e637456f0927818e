/** Returns the value, which must be there. */
export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("Expected a value: there is none");
  return value;
}

/** The first `Count` elements, of which there is one each; what follows them may be missing. */
type AtLeast<T, Count extends number, Counted extends T[] = []> = Counted["length"] extends Count ? [...Counted, ...T[]]
  : AtLeast<T, Count, [...Counted, T]>;

/** Returns the list, which must have so many elements at least, so that they can be taken out of it by their places. */
export function atLeast<T, Count extends number>(count: Count, list: Iterable<T>): AtLeast<T, Count> {
  const found = [...list];
  if (found.length < count) throw new Error(`Expected ${count} or more elements: there are ${found.length}`);
  return found as AtLeast<T, Count>;
}
