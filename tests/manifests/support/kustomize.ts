import { fail } from "@std/assert";
import { parseAllDocuments } from "yaml";
import type { KubeManifest } from "../../../src/manifests/objects.ts";

/** `kubectl kustomize FOLDER`. */
export async function kustomize(folder: string): Promise<KubeManifest[]> {
  const command = new Deno.Command("kubectl", { args: ["kustomize", folder], stdout: "piped", stderr: "piped" });
  const { code, stdout, stderr } = await command.output();
  if (code !== 0) fail(`kubectl kustomize ${folder} failed: ${new TextDecoder().decode(stderr)}`);
  return objectsIn(new TextDecoder().decode(stdout));
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
