import { outputOf } from "../binary/support.ts";
import type { RootEntry } from "../image/root_entries.ts";
import { packTree, writeTree } from "../image/root_tree.ts";

/** Packs entries into a `.tar.gz`. The same entries give the same bytes. */
export async function packEntries(entries: readonly RootEntry[], archive: string): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const root = `${folder}/root`;
    await Deno.mkdir(root);
    await writeTree(root, entries);
    await packTree(root, entries, `${folder}/tar`);
    await outputOf("gzip", ["--no-name", `${folder}/tar`]);
    await Deno.copyFile(`${folder}/tar.gz`, archive);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
