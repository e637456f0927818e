import {
  type Applied,
  type FileSource,
  type FileText,
  identityOf,
  isSameText,
  type Reading,
  type SourceText,
} from "./source.ts";

/** Why it is not known whether another source wants an object. */
export type Doubt =
  /** It is just being changed: the next look says more. */
  | { readonly kind: "unsettled" }
  | { readonly kind: "unclear"; readonly path: string; readonly reason: string };

/** What another source says. */
export interface OtherSource {
  readonly source: FileSource;
  readonly text: SourceText;
  readonly reading: Reading;
  /** What stood in it when it was looked at last. */
  readonly known: SourceText | undefined;
  /** What it last wanted of others' objects, when there was something in it. Undefined: there never was. */
  readonly contested: ReadonlySet<string> | undefined;
  /** Whether the server has objects of it. */
  readonly hasApplied: boolean;
}

/** Returns what speaks against deleting an object that others no longer want, for another source may. */
export function doubtOf(
  { source, text, reading, known, contested, hasApplied }: OtherSource,
  applied: Applied,
): Doubt | undefined {
  if (known === undefined || !isSameText(text, known)) return { kind: "unsettled" };
  const unclear = (reason: string): Doubt => ({ kind: "unclear", path: source.path, reason });
  if (source.isEmpty(text)) {
    const mayHaveIt = contested?.has(identityOf(applied)) ?? hasApplied;
    return mayHaveIt ? unclear(text.kind === "gone" ? text.reason : "there is nothing in it") : undefined;
  }
  return reading.mayName(applied) ? unclear("it cannot be read whole") : undefined;
}

/** Returns whether a file that cannot be read whole may have an object: all that it could say is unknown, or it has its name. */
export function mayStandIn(file: FileText, { name }: Applied): boolean {
  return file.kind === "unreadable" || file.text.trim() === "" || file.text.includes(name);
}
