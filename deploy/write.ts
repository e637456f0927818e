// Writes what of deploy/ and docs/ is made from the code: `deno task manifests`.
import configuration from "../deno.json" with { type: "json" };
import { writeBenchmarks, writeReference } from "../docs/generate/write.ts";
import { type ArgoCdScripts, argoCdSettings } from "../src/manifests/argocd.ts";
import { kustomizeFiles } from "../src/manifests/kustomize.ts";
import { yamlOf } from "../src/manifests/yaml.ts";
import { chartFiles } from "./helm/written.ts";
import { mixin } from "./monitoring/written.ts";

export const DEPLOY = new URL(".", import.meta.url);
/** Hold nothing but what is written here. */
export const WRITTEN_FOLDERS = ["crd", "base", "overlays", "helm/cronjob-controller/files"] as const;

const HEADER = "# Written by `deno task manifests`.\n";

/** All files that are made from the code, by their paths in `deploy/`. */
export async function writtenFiles(): Promise<Map<string, string>> {
  const argoCd = yamlOf(argoCdSettings(await argoCdScripts(), yamlOf));
  return new Map([
    ...kustomizeFiles(),
    ...[...await chartFiles(configuration.version)].map((
      [path, text],
    ): [string, string] => [`helm/cronjob-controller/${path}`, text]),
    ["argocd/argocd-cm.yaml", HEADER + argoCd],
    ["monitoring/mixin.libsonnet", await mixin()],
  ]);
}

async function argoCdScripts(): Promise<ArgoCdScripts> {
  const action = async (name: string) => [name, await read(`argocd/actions/${name}.lua`)] as const;
  return {
    health: await read("argocd/health.lua"),
    discovery: await read("argocd/actions/discovery.lua"),
    actions: Object.fromEntries(await Promise.all(["run", "pause", "resume"].map(action))),
  };
}

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, DEPLOY));
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
