import * as fc from "fast-check";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { must } from "../../support/expected.ts";

/** Values that are seldom what a field is. */
export const JUNK = fc.constantFrom<unknown>(null, "", "x", 0, -1, 1.5, true, [], {}, [null], [{}], [""], { a: null }, {
  a: [],
}, 1e30);

/** The object with the value at one of its places, chosen by number, replaced. */
export function withJunk(object: Json, place: number, junk: unknown): Json {
  const copy = structuredClone(object);
  const places: [Json, string][] = [];
  (function visit(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value as Json, key]);
      visit((value as Json)[key]);
    }
  })(copy);
  const [parent, key] = must(places[place % places.length]);
  parent[key] = junk;
  return copy;
}
