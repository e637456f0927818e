import { keyOf, type KubeObject } from "../kube/object.ts";
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
  /** The position of a field in the file, or of the nearest one. */
  position(field: string): Position;
  /** The place of the object in its source: a file's name, a line. */
  readonly origin: string;
}

/** An object on the server that was applied from a source, not by hand. It belongs to the source that applied it last. */
export interface Applied {
  readonly object: Pick<KubeObject, "apiVersion" | "kind" | "metadata">;
  /** {@linkcode FileSource.id} of its source. */
  readonly sourceId: string;
  /** {@linkcode Wanted.origin} */
  readonly origin: string;
}

/** A note for people about a file. */
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
  /** Whether an unreadable part may mean this object, of this source or of another, though `wanted` lacks it. */
  mayMean(applied: Applied): boolean;
}

/** Files whose objects are to be on the server. */
export interface FileSource {
  /** The value of the label by which its objects are found again. */
  readonly id: string;
  /** As it was given. */
  readonly path: string;
  /** The path to watch. */
  readonly watched: { readonly path: string; readonly recursive: boolean };
  read(): Promise<SourceText>;
  /** Whether the source is empty, as after an accident: then nothing is deleted. */
  isEmpty(text: SourceText): boolean;
  understand(text: SourceText, applied: readonly Applied[]): Reading;
}

/** An object of a file, or on the server. Without a namespace it is in `default`, or in none. */
interface Named {
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  };
}

/** Returns what distinguishes an object from others on the server, whatever the version of its API. */
export function identityOf(named: Named): string {
  return `${groupOf(named.object.apiVersion)}/${nameOf(named)}`;
}

/** Names an object by kind, namespace and name, which namesakes of all APIs share. */
export function nameOf({ object: { kind, metadata: { namespace = "default", name } } }: Named): string {
  return [kind, namespace, name].join("/");
}

/** `CronJob default/report`. */
export function titleOf({ object }: Named): string {
  return `${object.kind} ${keyOf(object)}`;
}

/** Returns the API group of a version; empty for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.split("/")[0]! : "";
}
