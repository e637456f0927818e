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
import { packTree } from "./root_tree.ts";

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
    await Deno.mkdir(`${layout}/blobs/sha256`, { recursive: true, mode: 0o755 });
    const layerBlobs: Blob[] = [];
    for (const [index, entries] of layers.entries()) {
      const file = `${layout}/layer-${index}`;
      await packTree(root, entries, file);
      const blob = await describe(file, LAYER_TYPE);
      await Deno.rename(file, `${layout}/${blobPath(blob)}`);
      layerBlobs.push(blob);
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

function layoutEntries(blobs: readonly Blob[]): RootEntry[] {
  const directories = ["blobs", "blobs/sha256"].map((path): RootEntry => (
    { kind: "directory", path: `/${path}`, mode: 0o755, owner: 0 }
  ));
  const files = [...blobs.map(blobPath).sort(), "index.json", "manifest.json", "oci-layout"].map((path): RootEntry => (
    { kind: "text", path: `/${path}`, mode: 0o644, text: "", owner: 0 }
  ));
  return [...directories, ...files];
}

async function addJson(layout: string, value: unknown, mediaType: string): Promise<Blob> {
  const file = `${layout}/json`;
  await writeJson(file, value);
  const blob = await describe(file, mediaType);
  await Deno.rename(file, `${layout}/${blobPath(blob)}`);
  return blob;
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(file, JSON.stringify(value));
  await Deno.chmod(file, 0o644);
}

async function describe(file: string, mediaType: string): Promise<Blob> {
  const hash = createHash("sha256");
  let size = 0;
  using opened = await Deno.open(file);
  for await (const bytes of opened.readable) {
    hash.update(bytes);
    size += bytes.byteLength;
  }
  return { mediaType, digest: `sha256:${hash.digest("hex")}`, size };
}

function directoryOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.lastIndexOf("/")) || "/" : ".";
}
