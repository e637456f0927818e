import { ConfigError } from "./errors.ts";
import { isStandardInput, type Manifests, parseManifests } from "./manifest_text.ts";

const MANIFEST_FILE = /\.(ya?ml|json)$/;

/**
 * Reads every object of a file (YAML of any number of documents, or JSON), of the files below a directory, or of standard
 * input (`-`). Lists are taken apart. In a directory, files that do not speak of a `kind` that `mentions` names are passed over, as it
 * may hold anything.
 *
 * @throws {ConfigError} when the path cannot be read.
 */
export async function readManifests(path: string, options: { mentions: string }): Promise<Manifests> {
  const read: Manifests = { manifests: [], faults: [] };
  if (isStandardInput(path)) {
    parseManifests(await new Response(Deno.stdin.readable).text(), "stdin", read);
    return read;
  }
  try {
    if ((await Deno.stat(path)).isDirectory) {
      for (const file of await filesBelow(path)) {
        const text = await Deno.readTextFile(file);
        if (text.includes(options.mentions)) parseManifests(text, file, read);
      }
    } else {
      parseManifests(await Deno.readTextFile(path), path, read);
    }
  } catch (cause) {
    throw new ConfigError(`Cannot read ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return read;
}

async function filesBelow(directory: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await Array.fromAsync(Deno.readDir(directory))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = `${directory.replace(/\/$/, "")}/${entry.name}`;
    if (entry.isDirectory) files.push(...await filesBelow(path));
    else if (MANIFEST_FILE.test(entry.name)) files.push(path);
  }
  return files.sort();
}
