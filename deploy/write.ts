// Writes what of deploy/ and docs/ is made from the code: `deno task manifests`.
import configuration from "../deno.json" with { type: "json" };
import { writeBenchmarks, writeReference } from "../docs/generate/write.ts";
import { yamlOf } from "../src/manifests/yaml.ts";
import { argoCdSettings } from "./argocd/written.ts";
import { chartFiles } from "./helm/written.ts";
import { kustomizeFiles } from "./kustomize.ts";
import { mixin } from "./monitoring/written.ts";

export const DEPLOY = new URL(".", import.meta.url);
/** Hold nothing but what is written here. */
export const WRITTEN_FOLDERS = ["crd", "base", "overlays", "helm/cronjob-controller/files"] as const;

const HEADER = "# Written by `deno task manifests`.\n";

/** All files that are made from the code, by their paths in `deploy/`. */
export async function writtenFiles(): Promise<Map<string, string>> {
  return new Map([
    ...kustomizeFiles(),
    ...[...await chartFiles(configuration.version)].map((
      [path, text],
    ): [string, string] => [`helm/cronjob-controller/${path}`, text]),
    ["argocd/argocd-cm.yaml", HEADER + yamlOf(await argoCdSettings())],
    ["monitoring/mixin.libsonnet", await mixin()],
  ]);
}

/** Writes files by their paths in a folder, which are made as they are needed. */
export async function writeFiles(folder: URL, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await Deno.mkdir(new URL(".", new URL(path, folder)), { recursive: true });
    await Deno.writeTextFile(new URL(path, folder), text);
  }
}

if (import.meta.main) {
  for (const folder of WRITTEN_FOLDERS) await Deno.remove(new URL(folder, DEPLOY), { recursive: true }).catch(() => {});
  await writeFiles(DEPLOY, await writtenFiles());
  await writeReference();
  await writeBenchmarks();
}
