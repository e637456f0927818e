import type { Position } from "../manifest_files/yaml_documents.ts";

/** A Kubernetes object as a file has it. */
export interface ManifestObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
}

/** An object that a source wants. */
export interface Wanted {
  readonly object: ManifestObject;
  /** The file, as it was named. */
  readonly file: string;
  /** Where a field stands in it, or what is nearest to it. */
  position(field: string): Position;
  /** The place of the object in its source: a file's name, a line. */
  readonly origin: string;
}

/** An object on the server that was applied from a source, and not by hand. It is of the one that applied it last. */
export interface Applied {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** {@linkcode FileSource.id} of the source that it is of. */
  readonly sourceId: string;
  /** {@linkcode Wanted.origin} */
  readonly origin: string;
}

/** Something in a file that people should know of. */
export interface FileNote {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** The text of a source at a moment, by the names of files. */
export type SourceText =
  | { readonly kind: "read"; readonly files: ReadonlyMap<string, FileText> }
  /** Not a single file can be read. */
  | { readonly kind: "gone"; readonly reason: string };

export type FileText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unreadable"; readonly reason: string };

/** The meaning of a source's text. */
export interface Reading {
  readonly wanted: readonly Wanted[];
  /** Faults that keep an object from being applied. */
  readonly faults: readonly FileNote[];
  /** Further remarks. */
  readonly remarks: readonly FileNote[];
  /** Whether something unreadable may mean an object, of this source or of another, that is not among those wanted. */
  mayMean(applied: Applied): boolean;
}

/** Files whose objects are to be on the server. */
export interface FileSource {
  /** Of the label by which its objects are found again. */
  readonly id: string;
  /** As it was given. */
  readonly path: string;
  /** The path to watch. */
  readonly watched: { readonly path: string; readonly recursive: boolean };
  read(): Promise<SourceText>;
  /** Whether nothing stands there at all, as after an accident: then nothing is deleted. */
  isEmpty(text: SourceText): boolean;
  understand(text: SourceText, applied: readonly Applied[]): Reading;
}

type Named = Pick<Applied, "kind" | "name"> & Partial<Pick<Applied, "namespace">>;

/** One thing under one name, whatever the version of its API. What names no namespace is in `default`, or in none. */
export function identityOf(object: Named & Pick<Applied, "apiVersion">): string {
  return `${groupOf(object.apiVersion)}/${nameOf(object)}`;
}

/** The same for namesakes of all APIs. */
export function nameOf({ kind, namespace, name }: Named): string {
  return [kind, namespace ?? "default", name].join("/");
}

/** Returns the group of a version; none for Kubernetes' first ones. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.split("/")[0]! : "";
}
