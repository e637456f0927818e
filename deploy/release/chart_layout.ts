import { type Blob, layoutIndex, MANIFEST_TYPE } from "../image/oci_image.ts";
import { writeLayout } from "../image/oci_layout.ts";

/** As Helm names them. */
const CONFIG_TYPE = "application/vnd.cncf.helm.config.v1+json";
const CONTENT_TYPE = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/**
 * Packs a chart as an OCI layout in one file, for registries that `helm push` does not reach.
 *
 * @param packed what `helm package` made
 * @param metadata the chart's `Chart.yaml`
 */
export async function writeChartLayout(
  archive: string,
  { packed, metadata }: { packed: string; metadata: { readonly name: string; readonly version: string } },
): Promise<Blob> {
  return await writeLayout(archive, async (layout) => {
    const copy = `${layout.folder}/content`;
    await Deno.copyFile(packed, copy);
    const content = await layout.addBlob(copy, CONTENT_TYPE);
    const config = await layout.addJson(metadata, CONFIG_TYPE);
    const annotations = {
      "org.opencontainers.image.title": metadata.name,
      "org.opencontainers.image.version": metadata.version,
    };
    const manifest = await layout.addJson(
      { schemaVersion: 2, mediaType: MANIFEST_TYPE, config, layers: [content], annotations },
      MANIFEST_TYPE,
    );
    const named = { ...manifest, annotations: { "org.opencontainers.image.ref.name": metadata.version } };
    await layout.addFile("index.json", layoutIndex(named));
    return manifest;
  });
}
