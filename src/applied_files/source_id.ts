import { stableHash } from "../schedule/stable_hash.ts";

/** Returns the id of a source, the value of its label: the same for a path in every life of the program. */
export function sourceId(kind: "folder" | "crontab", absolutePath: string): string {
  return `${kind}-${stableHash(absolutePath).toString(36)}`;
}
