import type { ImportedLine } from "../../crontab/import_crontab.ts";
import { ConfigError } from "../errors.ts";
import { exists } from "../shared/files.ts";
import { yamlOfLine } from "./format.ts";

/** A file to be written. */
export interface ImportFile {
  readonly name: string;
  readonly text: string;
}

/** kubectl passes over it, as it is neither YAML nor JSON. */
const NOT_IMPORTED = "not-imported.txt";

/** Returns a file for each CronJob, and one for all that was not understood. */
export function filesOf(lines: readonly ImportedLine[]): ImportFile[] {
  const cronJobs = lines.flatMap((line) =>
    line.kind === "imported" ? [{ name: `${line.cronJob.metadata.name}.yaml`, text: yamlOfLine(line) }] : []
  );
  const left = lines.filter(({ kind }) => kind === "notUnderstood").map(yamlOfLine).join("");
  return left === "" ? cronJobs : [...cronJobs, { name: NOT_IMPORTED, text: left }];
}

/**
 * Writes files into a folder, which is made where it is missing. Returns their paths.
 *
 * @throws {ConfigError} if one of them is there already: nothing is written then
 */
export async function writeFiles(folder: string, files: readonly ImportFile[]): Promise<string[]> {
  const written = files.map(({ name, text }) => ({ path: `${folder}/${name}`, text }));
  try {
    for (const { path } of written) {
      if (await exists(path)) throw new ConfigError(`${path} is there already: remove it, or name another folder`);
    }
    await Deno.mkdir(folder, { recursive: true });
    for (const { path, text } of written) await Deno.writeTextFile(path, text, { createNew: true });
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`Cannot write into ${folder}: ${(cause as Error).message}`, { cause });
  }
  return written.map(({ path }) => path);
}
