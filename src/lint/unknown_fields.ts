import { splitPath } from "../manifest_files/parse.ts";
import type { Path } from "../manifest_files/yaml_documents.ts";
import { nearestWord } from "../schedule/nearest_word.ts";

/** Where a field of a CronJob is often meant to be, the outermost first. */
const PLACES = ["metadata", "spec", "spec.jobTemplate.spec", "spec.jobTemplate.spec.template.spec"];

/** Returns what can be said of a field that the API server does not know: which was meant, or where it belongs. */
export function unknownFieldMessage(path: string, fieldsAt: (path: Path) => readonly string[]): string {
  const keys = splitPath(path);
  const name = String(keys.at(-1));
  const siblings = fieldsAt(keys.slice(0, -1));
  const near = nearestWord(name, siblings);
  if (near !== undefined) return `there is no such field: did you mean ${near}?`;
  const place = PLACES.find((place) => fieldsAt(splitPath(place)).includes(name));
  return place === undefined ? "there is no such field" : `there is no such field here: it belongs to ${place}`;
}
