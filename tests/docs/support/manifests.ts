import type { Manifests } from "../../../src/manifest_files/parse.ts";
import { readManifests } from "../../../src/manifest_files/read.ts";

/** What is read of one file that says this. */
export async function readManifestsIn(yaml: string): Promise<Manifests> {
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(file, yaml);
    return await readManifests([file]);
  } finally {
    await Deno.remove(file);
  }
}
