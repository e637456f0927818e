import { editDistance } from "./edit_distance.ts";

/** A word that differs in more characters is another word. */
const FARTHEST = 3;

/** Returns the word that was probably meant; undefined where none of those that are known is near. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  const scored = [...known].map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }));
  const best = scored.sort((a, b) => a.distance - b.distance)[0];
  return best !== undefined && best.distance <= Math.min(FARTHEST, Math.floor(word.length / 2)) ? best.name : undefined;
}
