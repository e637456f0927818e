import {
  type Blob,
  CONFIG_TYPE,
  dockerManifest,
  imageConfig,
  type ImageFacts,
  imageIndex,
  imageManifest,
  LAYER_TYPE,
  MANIFEST_TYPE,
} from "./oci_image.ts";
import { writeLayout } from "./oci_layout.ts";
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
  return await writeLayout(archive, async (layout) => {
    const layerBlobs: Blob[] = [];
    for (const [index, entries] of layers.entries()) {
      const file = `${layout.folder}/layer-${index}`;
      await packTree(root, entries, file);
      layerBlobs.push(await layout.addBlob(file, LAYER_TYPE));
    }
    const config = await layout.addJson(imageConfig(facts, layerBlobs), CONFIG_TYPE);
    const manifest = await layout.addJson(imageManifest(config, layerBlobs), MANIFEST_TYPE);
    await layout.addFile("index.json", imageIndex(manifest, facts));
    await layout.addFile("manifest.json", dockerManifest(config, layerBlobs, facts));
    return { digest: manifest.digest, layers: layerBlobs };
  });
}
