import { stableHash } from "../schedule/stable_hash.ts";

/** Returns the value of a label: the same for the same path, whenever the program is started. */
export function sourceId(kind: "folder" | "crontab", absolutePath: string): string {
  return `${kind}-${stableHash(absolutePath).toString(36)}`;
}
