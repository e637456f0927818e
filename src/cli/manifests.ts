import { parseAllDocuments } from "yaml";
import { ConfigError } from "./errors.ts";

/** One object of a manifest file, as written there. */
export interface Manifest {
  /** The file it stands in, for messages. */
  readonly file: string;
  readonly object: ManifestObject;
}

export interface ManifestObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

const MANIFEST_FILE = /\.(ya?ml|json)$/;

/**
 * Reads files and, as `kubectl apply -f DIR` does, the manifests that lie directly in folders, in the order of their names. `-` is
 * standard input. A `List` counts as its items.
 *
 * @throws {ConfigError} naming the file and what is wrong with it
 */
export async function readManifests(paths: readonly string[]): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    for (const file of await manifestFiles(path)) manifests.push(...parseManifests(file, await readText(file)));
  }
  return manifests;
}

/** The objects in the text of one file: YAML with any number of documents, or JSON. */
export function parseManifests(file: string, text: string): Manifest[] {
  const manifests: Manifest[] = [];
  for (const document of parseAllDocuments(text)) {
    const [problem] = document.errors;
    if (problem) throw new ConfigError(`Cannot read manifest ${file}: ${problem.message.split("\n")[0]}`);
    manifests.push(...objectsIn(file, document.toJS()));
  }
  return manifests;
}

function objectsIn(file: string, value: unknown): Manifest[] {
  if (value === null || value === undefined) return [];
  const object = value as ManifestObject & { items?: unknown };
  if (typeof value !== "object" || typeof object.kind !== "string" || typeof object.apiVersion !== "string") {
    throw new ConfigError(`Cannot read manifest ${file}: every document needs apiVersion and kind`);
  }
  if (object.kind.endsWith("List") && Array.isArray(object.items)) {
    return object.items.flatMap((item) => objectsIn(file, item));
  }
  if (typeof object.metadata?.name !== "string" || object.metadata.name === "") {
    throw new ConfigError(`Cannot read manifest ${file}: the ${object.kind} needs metadata.name`);
  }
  return [{ file, object }];
}

async function manifestFiles(path: string): Promise<string[]> {
  if (path === "-") return [path];
  try {
    if (!(await Deno.stat(path)).isDirectory) return [path];
    const names: string[] = [];
    for await (const entry of Deno.readDir(path)) {
      if (!entry.isDirectory && MANIFEST_FILE.test(entry.name)) names.push(entry.name);
    }
    return names.sort().map((name) => `${path.replace(/\/$/, "")}/${name}`);
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return file === "-" ? await new Response(Deno.stdin.readable).text() : await Deno.readTextFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(path: string, error: unknown): ConfigError {
  const reason = error instanceof Deno.errors.NotFound ? "no such file or folder" : (error as Error).message;
  return new ConfigError(`Cannot read manifest ${path}: ${reason}`, { cause: error });
}
