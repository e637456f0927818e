import { fail } from "@std/assert";
import { parseAllDocuments } from "yaml";
import { runToEnd } from "../../support/run_to_end.ts";
import type { KubeManifest } from "../../../src/manifests/objects.ts";

/** `kubectl kustomize FOLDER`. */
export async function kustomize(folder: string): Promise<KubeManifest[]> {
  const { code, stdout, stderr } = await runToEnd(["kubectl", "kustomize", folder]);
  if (code !== 0) fail(`kubectl kustomize ${folder} failed: ${stderr}`);
  return objectsIn(stdout);
}

export function objectsIn(stream: string): KubeManifest[] {
  return parseAllDocuments(stream).map((document) => {
    const [error] = document.errors;
    if (error) fail(`The YAML is not right: ${error.message}`);
    return document.toJS() as KubeManifest;
  });
}

/** `Role/cronjob-controller-system/cronjob-controller` */
export function identityOf({ kind, metadata: { namespace, name } }: KubeManifest): string {
  return [kind, namespace, name].filter((part) => part !== undefined).join("/");
}

export function byIdentity(objects: readonly KubeManifest[]): Record<string, KubeManifest> {
  return Object.fromEntries(objects.map((object) => [identityOf(object), object]).sort());
}
