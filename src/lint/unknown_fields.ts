import type { FieldSchema } from "../apiserver/schema/field_schema.ts";
import { splitPath } from "../manifest_files/parse.ts";
import { nearestWord } from "../schedule/nearest_word.ts";

/** Where a field of a CronJob is often meant to be, the outermost first. */
const PLACES = ["metadata", "spec", "spec.jobTemplate.spec", "spec.jobTemplate.spec.template.spec"];

/** Returns what can be said of a field that the schema does not know: which was meant, or where it belongs. */
export function unknownFieldMessage(path: string, schema: FieldSchema): string {
  const keys = splitPath(path);
  const name = String(keys.at(-1));
  const siblings = fieldsAt(keys.slice(0, -1), schema);
  const near = nearestWord(name, Object.keys(siblings));
  if (near !== undefined) return `there is no such field: did you mean ${near}?`;
  const place = PLACES.find((place) => Object.hasOwn(fieldsAt(splitPath(place), schema), name));
  return place === undefined ? "there is no such field" : `there is no such field here: it belongs to ${place}`;
}

function fieldsAt(path: readonly (string | number)[], schema: FieldSchema): Readonly<Record<string, FieldSchema>> {
  let at: FieldSchema | undefined = schema;
  for (const key of path) at = typeof key === "number" ? at?.items : at?.properties?.[key] ?? at?.values;
  return at?.properties ?? {};
}
