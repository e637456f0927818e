import { resolve } from "node:path";
import { manifestFilesIn } from "../manifest_files/read.ts";
import { type Manifest, noManifests, parseManifests } from "../manifest_files/parse.ts";
import { readFile, whyUnreadable } from "./read_file.ts";
import type { Applied, FileNote, FileSource, FileText, ManifestObject, Reading, SourceText, Wanted } from "./source.ts";
import { sourceId } from "./source_id.ts";

/** All manifests in and below a folder, but for hidden files and folders, in which editors and ConfigMaps keep copies. */
export class ManifestFolder implements FileSource {
  readonly id: string;
  readonly path: string;
  readonly watched: FileSource["watched"];

  constructor(path: string) {
    this.path = path.replace(/(?<=.)\/+$/, "");
    this.id = sourceId("folder", resolve(path));
    this.watched = { path: this.path, recursive: true };
  }

  async read(): Promise<SourceText> {
    try {
      const all = await manifestFilesIn(this.path, true);
      const files = all.filter((file) => !file.slice(file.lastIndexOf("/") + 1).startsWith("."));
      const read = async (file: string): Promise<[string, FileText]> => [file, await readFile(file)];
      return { kind: "read", files: new Map(await Promise.all(files.map(read))) };
    } catch (error) {
      return { kind: "gone", reason: whyUnreadable(error, "folder") };
    }
  }

  /** Returns whether there is no file; a file with nothing but a comment says that nothing is wanted. */
  isEmpty(text: SourceText): boolean {
    return text.kind === "gone" || text.files.size === 0;
  }

  understand(text: SourceText): Reading {
    const files = text.kind === "read" ? text.files : new Map<string, FileText>();
    const wanted: Wanted[] = [];
    const faults: FileNote[] = [];
    const damaged = new Map<string, FileText>();
    for (const [file, content] of files) {
      const read = understandFile(file, content, this.#origin(file));
      wanted.push(...read.wanted);
      faults.push(...read.faults);
      if (read.faults.length > 0) damaged.set(this.#origin(file), content);
    }
    return {
      wanted,
      faults,
      remarks: [],
      mayMean: (applied) =>
        (applied.sourceId === this.id && damaged.has(applied.origin)) ||
        damaged.values().some((content) => mayStandIn(content, applied)),
    };
  }

  #origin(file: string): string {
    return file.slice(this.path.length + 1);
  }
}

function understandFile(file: string, content: FileText, origin: string): Pick<Reading, "wanted" | "faults"> {
  if (content.kind === "unreadable") return { wanted: [], faults: [{ file, message: content.reason }] };
  // A writer may have emptied the file and not filled it yet, or the disk was full then.
  if (content.text.trim() === "") {
    return { wanted: [], faults: [{ file, message: "there is nothing in it: what was applied from it stays" }] };
  }
  const read = noManifests();
  parseManifests(content.text, file, read);
  const isNamed = ({ object }: Manifest) => typeof object.metadata?.name === "string" && object.metadata.name !== "";
  const nameless = read.manifests.filter((manifest) => !isNamed(manifest));
  return {
    wanted: read.manifests.filter(isNamed).map(({ object, position }) => ({
      object: object as ManifestObject,
      file,
      position,
      origin,
    })),
    faults: [
      ...read.faults.map(({ line, column, reason }) => ({ file, line, column, message: reason })),
      ...nameless.map(({ object, position }) => ({
        file,
        ...position("metadata"),
        message: `the ${object.kind} needs metadata.name`,
      })),
    ],
  };
}

/** Returns whether a faulty file may have an object: its text is unknown, or contains the object's name. */
function mayStandIn(file: FileText, { object: { metadata: { name } } }: Applied): boolean {
  return file.kind === "unreadable" || file.text.trim() === "" || file.text.includes(name);
}
