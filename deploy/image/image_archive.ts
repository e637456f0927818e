import { createHash } from "node:crypto";
import {
  type Blob,
  blobPath,
  CONFIG_TYPE,
  dockerManifest,
  imageConfig,
  type ImageFacts,
  imageIndex,
  imageManifest,
  LAYER_TYPE,
  MANIFEST_TYPE,
} from "./oci_image.ts";
import type { RootEntry } from "./root_entries.ts";
import { packTree, writeTree } from "./root_tree.ts";

/** A part of the root file system that is stored, and fetched, for itself. */
export type Layer = readonly RootEntry[];

/** The digest by which registries and clusters know the image. */
export interface BuiltImage {
  readonly digest: string;
  readonly layers: readonly Blob[];
}

/**
 * Packs `layers` of the tree beneath `root` into one file that is both an OCI image layout and what `docker save` writes.
 * The same tree and facts give the same bytes.
 */
export async function writeImage(
  archive: string,
  { root, layers, facts }: { root: string; layers: readonly Layer[]; facts: ImageFacts },
): Promise<BuiltImage> {
  const layout = await Deno.makeTempDir({ dir: directoryOf(archive), prefix: ".image-" });
  try {
    await writeTree(layout, BLOB_FOLDERS);
    const layerBlobs: Blob[] = [];
    for (const [index, entries] of layers.entries()) {
      const file = `${layout}/layer-${index}`;
      await packTree(root, entries, file);
      layerBlobs.push(await addBlob(layout, file, LAYER_TYPE));
    }
    const config = await addJson(layout, imageConfig(facts, layerBlobs), CONFIG_TYPE);
    const manifest = await addJson(layout, imageManifest(config, layerBlobs), MANIFEST_TYPE);
    await writeJson(`${layout}/oci-layout`, { imageLayoutVersion: "1.0.0" });
    await writeJson(`${layout}/index.json`, imageIndex(manifest, facts));
    await writeJson(`${layout}/manifest.json`, dockerManifest(config, layerBlobs, facts));
    await packTree(layout, layoutEntries([config, manifest, ...layerBlobs]), archive);
    return { digest: manifest.digest, layers: layerBlobs };
  } finally {
    await Deno.remove(layout, { recursive: true });
  }
}

const BLOB_FOLDERS = ["/blobs", "/blobs/sha256"].map((path): RootEntry => (
  { kind: "directory", path, mode: 0o755, owner: 0 }
));

function layoutEntries(blobs: readonly Blob[]): RootEntry[] {
  const files = [...blobs.map(blobPath).sort(), "index.json", "manifest.json", "oci-layout"].map((path): RootEntry => (
    { kind: "file", path: `/${path}`, mode: 0o644, source: path, owner: 0 }
  ));
  return [...BLOB_FOLDERS, ...files];
}

async function addJson(layout: string, value: unknown, mediaType: string): Promise<Blob> {
  const file = `${layout}/json`;
  await writeJson(file, value);
  return await addBlob(layout, file, mediaType);
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(file, JSON.stringify(value));
  await Deno.chmod(file, 0o644);
}

/** Moves a file to where its digest says. */
async function addBlob(layout: string, file: string, mediaType: string): Promise<Blob> {
  const hash = createHash("sha256");
  let size = 0;
  using opened = await Deno.open(file);
  for await (const bytes of opened.readable) {
    hash.update(bytes);
    size += bytes.byteLength;
  }
  const blob = { mediaType, digest: `sha256:${hash.digest("hex")}`, size };
  // Whatever this process's mask has made of it.
  await Deno.chmod(file, 0o644);
  await Deno.rename(file, `${layout}/${blobPath(blob)}`);
  return blob;
}

function directoryOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.lastIndexOf("/")) || "/" : ".";
}
