import type { FileNote } from "./source.ts";

/** News of the objects of files. */
export interface FileNews {
  /** `applied`: the server had another version, or none. `refused`: an object could not be applied, deleted or read. */
  readonly kind: "applied" | "deleted" | "refused" | "note";
  /** The object and its place, or the fault. */
  readonly detail: string;
}

/** Returns a note as a line in the form of `lint`: `jobs/report.yaml:3:5: …`. */
export function formatNote({ message, file, line, column }: FileNote): string {
  return `${[file, line, column].filter((part) => part !== undefined).join(":")}: ${message}`;
}
