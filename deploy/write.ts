// Writes what of deploy/ is made from the code: `deno task manifests`.
import { kustomizeFiles } from "../src/manifests/kustomize.ts";

export const DEPLOY = new URL(".", import.meta.url);
/** Hold nothing but what is written here. */
export const WRITTEN_FOLDERS = ["crd", "base", "overlays"] as const;

if (import.meta.main) {
  for (const folder of WRITTEN_FOLDERS) await Deno.remove(new URL(folder, DEPLOY), { recursive: true }).catch(() => {});
  for (const [path, text] of kustomizeFiles()) {
    await Deno.mkdir(new URL(".", new URL(path, DEPLOY)), { recursive: true });
    await Deno.writeTextFile(new URL(path, DEPLOY), text);
  }
}
