import { createHash } from "node:crypto";
import { type Blob, blobPath } from "./oci_image.ts";
import type { RootEntry } from "./root_entries.ts";
import { packTree, writeTree } from "./root_tree.ts";

const BLOB_FOLDERS = ["/blobs", "/blobs/sha256"].map((path): RootEntry => (
  { kind: "directory", path, mode: 0o755, owner: 0 }
));

/**
 * Packs what `fill` adds to an OCI layout into one file, and returns what `fill` returns. The same content gives the same
 * bytes.
 */
export async function writeLayout<T>(archive: string, fill: (layout: OciLayout) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ dir: directoryOf(archive), prefix: ".image-" });
  try {
    await writeTree(folder, BLOB_FOLDERS);
    const layout = new OciLayout(folder);
    await layout.addFile("oci-layout", { imageLayoutVersion: "1.0.0" });
    const filled = await fill(layout);
    await packTree(folder, layout.entries, archive);
    return filled;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A folder that becomes an OCI layout. */
export class OciLayout {
  readonly #blobs = new Set<string>();
  readonly #files: string[] = [];

  constructor(readonly folder: string) {}

  /** Everything in it, in a fixed order. */
  get entries(): RootEntry[] {
    const files = [...[...this.#blobs].sort(), ...this.#files.sort()];
    return [
      ...BLOB_FOLDERS,
      ...files.map((path): RootEntry => ({ kind: "file", path: `/${path}`, mode: 0o644, source: path, owner: 0 })),
    ];
  }

  /** Moves a file to where its digest says. */
  async addBlob(file: string, mediaType: string): Promise<Blob> {
    const blob = { mediaType, ...await digestOf(file) };
    // Whatever this process's mask has made of it.
    await Deno.chmod(file, 0o644);
    await Deno.rename(file, `${this.folder}/${blobPath(blob)}`);
    this.#blobs.add(blobPath(blob));
    return blob;
  }

  async addJson(value: unknown, mediaType: string): Promise<Blob> {
    const file = `${this.folder}/json`;
    await Deno.writeTextFile(file, JSON.stringify(value));
    return await this.addBlob(file, mediaType);
  }

  /** Adds a file beside the blobs, which is found by its name. */
  async addFile(name: string, value: unknown): Promise<void> {
    await Deno.writeTextFile(`${this.folder}/${name}`, JSON.stringify(value));
    await Deno.chmod(`${this.folder}/${name}`, 0o644);
    this.#files.push(name);
  }
}

async function digestOf(file: string): Promise<Pick<Blob, "digest" | "size">> {
  const hash = createHash("sha256");
  let size = 0;
  using opened = await Deno.open(file);
  for await (const bytes of opened.readable) {
    hash.update(bytes);
    size += bytes.byteLength;
  }
  return { digest: `sha256:${hash.digest("hex")}`, size };
}

function directoryOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.lastIndexOf("/")) || "/" : ".";
}
