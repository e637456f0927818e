import { ConfigError } from "./errors.ts";
import { isStandardInput, type Manifests, parseManifests as parseText } from "./manifest_text.ts";

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
  const read: Manifests = { manifests: [], faults: [] };
  parseText(text, file, read);
  for (const { reason, line } of read.faults) {
    throw new ConfigError(`Cannot read manifest ${file}: ${reason} (line ${line})`);
  }
  return read.manifests.map(({ object, position }) => {
    if (typeof object.metadata?.name !== "string" || object.metadata.name === "") {
      const { line } = position("metadata");
      throw new ConfigError(`Cannot read manifest ${file}: the ${object.kind} needs metadata.name (line ${line})`);
    }
    return { file, object: object as ManifestObject };
  });
}

async function manifestFiles(path: string): Promise<string[]> {
  if (isStandardInput(path)) return [path];
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
    return isStandardInput(file) ? await new Response(Deno.stdin.readable).text() : await Deno.readTextFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(path: string, error: unknown): ConfigError {
  const reason = error instanceof Deno.errors.NotFound ? "no such file or folder" : (error as Error).message;
  return new ConfigError(`Cannot read manifest ${path}: ${reason}`, { cause: error });
}
