import type { FileNote } from "./source.ts";

/** News of the objects of files. */
export interface FileNews {
  /** `applied`: it was not on the server, or not as the file has it. `refused`: not applied, not deleted, or unreadable. */
  readonly kind: "applied" | "deleted" | "refused" | "note";
  /** Which object, and where it is; or what is wrong. */
  readonly detail: string;
}

/** `jobs/report.yaml:3:5: …`, as `lint` has it. */
export function formatNote({ message, file, line, column }: FileNote): string {
  return `${[file, line, column].filter((part) => part !== undefined).join(":")}: ${message}`;
}
