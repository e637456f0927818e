import type { Applied, FileNote, Wanted } from "./source.ts";

/** News of the objects of files. */
export type FileNews =
  /** It was not on the server, or not as the file has it. */
  | { readonly kind: "applied"; readonly wanted: Wanted }
  /** Its file no longer has it. */
  | { readonly kind: "deleted"; readonly applied: Applied; readonly source: string }
  /** It is not applied, or not deleted, or a part of a file cannot be read. */
  | { readonly kind: "refused"; readonly note: FileNote }
  | { readonly kind: "remark"; readonly note: FileNote };

/** `jobs/report.yaml:3:5: …`, as `lint` has it. */
export function formatNote({ message, ...place }: FileNote): string {
  return `${formatPlace(place)}: ${message}`;
}

/** `jobs/report.yaml:3:5` */
export function formatPlace({ file, line, column }: Omit<FileNote, "message">): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}
