import { ManifestFileError } from "./manifest_file_error.ts";
import { isStandardInput, type Manifests, noManifests, parseManifests } from "./parse.ts";

export interface ReadOptions {
  /** Whether a folder stands for all files below it; else for the files directly in it, as for `kubectl apply -f`. */
  readonly recursive: boolean;
  /** Files of a folder whose text lacks this are passed over: a folder may hold anything. */
  readonly mentions?: string;
}

const MANIFEST_FILE = /\.(ya?ml|json)$/;

/**
 * Reads the objects in files (YAML of any number of documents, or JSON), in the manifests of folders (in the order of their
 * names), and in standard input (`-`). A list stands for its items.
 *
 * @throws {ManifestFileError} when a path cannot be read
 */
export async function readManifests(paths: readonly string[], options: ReadOptions): Promise<Manifests> {
  const read = noManifests();
  for (const path of paths) {
    try {
      await readPath(path, options, read);
    } catch (cause) {
      const reason = cause instanceof Deno.errors.NotFound ? "no such file or folder" : (cause as Error).message;
      throw new ManifestFileError(`Cannot read manifest ${path}: ${reason}`, { cause });
    }
  }
  return read;
}

async function readPath(path: string, { recursive, mentions = "" }: ReadOptions, into: Manifests): Promise<void> {
  if (isStandardInput(path)) {
    parseManifests(await new Response(Deno.stdin.readable).text(), "stdin", into);
  } else if ((await Deno.stat(path)).isDirectory) {
    for (const file of await manifestFilesIn(path, recursive)) {
      const text = await readText(file);
      if (text.includes(mentions)) parseManifests(text, file, into);
    }
  } else {
    parseManifests(await readText(path), path, into);
  }
}

/** Reads UTF-8, or the encoding that the first bytes name: PowerShell writes UTF-16, and kubectl reads it. */
export async function readText(path: string): Promise<string> {
  const bytes = await Deno.readFile(path);
  const mark = bytes[0]! << 8 | bytes[1]!;
  return new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(bytes);
}

/** Returns the paths of the manifests in a folder, in the order of their names; with `recursive` those below it too. */
export async function manifestFilesIn(folder: string, recursive: boolean): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder.replace(/\/$/, "")}/${name}`;
    if (!isDirectory && MANIFEST_FILE.test(name)) files.push(path);
    if (isDirectory && recursive && !name.startsWith(".") && name !== "node_modules") {
      files.push(...await manifestFilesIn(path, recursive));
    }
  }
  return files.sort();
}
