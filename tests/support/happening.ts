import * as fc from "fast-check";

/** Returns any event of this kind, or of one of these, with any values of its fields. */
export function happening<Do extends string, Fields extends object = object>(
  kinds: Do | readonly Do[],
  fields?: { readonly [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
): fc.Arbitrary<{ do: Do } & Fields> {
  const kind = typeof kinds === "string" ? fc.constant(kinds) : fc.constantFrom(...kinds);
  return fc.record({ ...fields, do: kind }) as unknown as fc.Arbitrary<{ do: Do } & Fields>;
}
