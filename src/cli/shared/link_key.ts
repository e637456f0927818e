import { writePrivateFile } from "../../apiserver/storage/data_dir.ts";
import type { LinkKey } from "../../dashboard/open_local.ts";

/** Leaves the key in the data dir, beside the kubeconfig, for `dashboard --data-dir`. */
export function writeLinkKey(dataDir: string, key: LinkKey): void {
  writePrivateFile(pathIn(dataDir), JSON.stringify(key));
}

/** Returns the key of the page that a `standalone` of this data dir serves, or has served; undefined where it did not. */
export async function readLinkKey(dataDir: string): Promise<LinkKey | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(pathIn(dataDir)));
  } catch {
    return undefined;
  }
}

function pathIn(dataDir: string): string {
  return `${dataDir}/dashboard.json`;
}
