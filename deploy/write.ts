// Writes what of deploy/ is made from the code: `deno task manifests`.
import { parseAllDocuments } from "yaml";
import configuration from "../deno.json" with { type: "json" };
import { chartFiles } from "../src/manifests/helm/chart.ts";
import { kustomizeFiles } from "../src/manifests/kustomize.ts";
import type { KubeManifest } from "../src/manifests/objects.ts";
import { controllerFlags } from "./controller_flags.ts";

export const DEPLOY = new URL(".", import.meta.url);
/** Hold nothing but what is written here. */
export const WRITTEN_FOLDERS = ["crd", "base", "overlays", "helm/cronjob-controller"] as const;

/** All files that are made from the code, by their paths in `deploy/`. */
export async function writtenFiles(): Promise<Map<string, string>> {
  const read = (path: string) => Deno.readTextFile(new URL(`monitoring/${path}`, DEPLOY));
  const monitors = await Promise.all(["service_monitor.yaml", "prometheus_rule.yaml"].map(read));
  const chart = chartFiles({
    version: configuration.version,
    flags: controllerFlags(),
    monitors: parseAllDocuments(monitors.join("---\n")).map((document) => document.toJS() as KubeManifest),
    dashboard: await read("dashboard.json"),
  });
  const inFolder = [...chart].map(([path, text]): [string, string] => [`helm/cronjob-controller/${path}`, text]);
  return new Map([...kustomizeFiles(), ...inFolder]);
}

if (import.meta.main) {
  for (const folder of WRITTEN_FOLDERS) await Deno.remove(new URL(folder, DEPLOY), { recursive: true }).catch(() => {});
  for (const [path, text] of await writtenFiles()) {
    await Deno.mkdir(new URL(".", new URL(path, DEPLOY)), { recursive: true });
    await Deno.writeTextFile(new URL(path, DEPLOY), text);
  }
}
