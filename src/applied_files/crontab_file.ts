import { resolve } from "node:path";
import { importCrontabs, type ImportOptions } from "../crontab/import_crontab.ts";
import { withoutTimes } from "../crontab/names.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { readFile } from "./read_file.ts";
import {
  type Applied,
  type FileSource,
  identityOf,
  type ManifestObject,
  type Reading,
  type SourceText,
} from "./source.ts";
import { sourceId } from "./source_id.ts";

export interface CrontabFileOptions extends Omit<ImportOptions, "now" | "host" | "before"> {
  /** Whether a user stands before each command. */
  readonly hasUsers: boolean;
  readonly now: () => EpochMs;
}

/** A crontab, whose lines are CronJobs that keep their names when other lines, or their own, are edited. */
export class CrontabFile implements FileSource {
  readonly id: string;
  readonly path: string;
  readonly watched: FileSource["watched"];
  readonly #options: CrontabFileOptions;

  constructor(path: string, options: CrontabFileOptions) {
    this.path = path;
    this.id = sourceId("crontab", resolve(path));
    // Editors put another file in its place, which a watch of the file would not see.
    this.watched = { path: resolve(path, ".."), recursive: false };
    this.#options = options;
  }

  async read(): Promise<SourceText> {
    const file = await readFile(this.path);
    if (file.kind === "unreadable") return { kind: "gone", reason: file.reason };
    return { kind: "read", files: new Map([[this.path, file]]) };
  }

  /** One with nothing but comments says that nothing is wanted. */
  isEmpty(text: SourceText): boolean {
    return this.#textOf(text).trim() === "";
  }

  understand(text: SourceText, applied: readonly Applied[]): Reading {
    const { hasUsers, now, ...options } = this.#options;
    const { path: name } = this;
    const before = applied.map(({ object, origin }) => ({ name: object.metadata.name, text: origin }));
    const lines = importCrontabs([{ name, text: this.#textOf(text), hasUsers }], {
      ...options,
      host: undefined,
      now: now(),
      before,
    });
    const notUnderstood = lines.flatMap((line) => line.kind === "notUnderstood" ? [line] : []);
    return {
      wanted: lines.flatMap((line) =>
        line.kind === "imported"
          ? [{
            object: line.cronJob as ManifestObject,
            file: name,
            origin: line.text,
            position: () => ({ line: line.line, column: 1 }),
          }]
          : []
      ),
      faults: notUnderstood.map(({ line, reason }) => ({ file: name, line, message: reason })),
      remarks: lines.flatMap((line) =>
        line.kind === "notUnderstood" ? [] : line.remarks.map((message) => ({ file: name, line: line.line, message }))
      ),
      mayMean: (applied) =>
        (applied.sourceId === this.id || this.#canMake(applied)) &&
        notUnderstood.some(({ text }) =>
          hasSameCommand(text, applied.origin) || text.includes(applied.object.metadata.name)
        ),
    };
  }

  /** Its lines are CronJobs of one API in one namespace, whatever they say. */
  #canMake(applied: Applied): boolean {
    const { api: { apiVersion, resource: { kind } }, namespace } = this.#options;
    const { name } = applied.object.metadata;
    return identityOf({ object: { apiVersion, kind, metadata: { namespace, name } } }) === identityOf(applied);
  }

  #textOf(text: SourceText): string {
    const file = text.kind === "read" ? text.files.get(this.path) : undefined;
    return file?.kind === "text" ? file.text : "";
  }
}

/** Returns whether a line that cannot be read ends as one did that could: then its times are what was edited. */
function hasSameCommand(unreadable: string, before: string): boolean {
  const command = withoutTimes(before);
  return command !== "" && ` ${unreadable.trim().replaceAll(/\s+/g, " ")}`.endsWith(` ${command}`);
}
